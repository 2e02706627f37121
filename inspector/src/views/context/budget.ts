/** Budgets that are one click away, and those that are compared. */
export const PRESETS = [1000, 4000, 8000, 32_000, 128_000] as const

/** The budget where none was chosen. */
export const DEFAULT_BUDGET = 8000
/** Largest one that can be typed. */
export const MAX_BUDGET = 1_000_000

/** The slider: its first place is 0, then it goes from the least to the most in steps of equal ratio. */
const SLIDER = { least: 100, most: 200_000 } as const
/** Last place of the slider. */
export const SLIDER_STEPS = 100

const STEP = Math.log(SLIDER.most / SLIDER.least) / (SLIDER_STEPS - 1)

/** Tokens at a place of the slider, to three digits. */
export function tokensAtPosition(place: number): number {
  if (place <= 0) return 0
  return Number((SLIDER.least * Math.exp((Math.min(place, SLIDER_STEPS) - 1) * STEP)).toPrecision(3))
}

/** The place of the slider that is nearest to a number of tokens. */
export function sliderPosition(tokens: number): number {
  if (tokens <= 0) return 0
  return Math.min(SLIDER_STEPS, Math.max(1, Math.round(Math.log(tokens / SLIDER.least) / STEP) + 1))
}

/** The tokens that a text names, within what makes sense; `undefined` where it names none. */
export function parseTokens(text: string): number | undefined {
  const tokens = Number(text.replaceAll(/[\s,_]/g, '') || Number.NaN)
  return Number.isFinite(tokens) && tokens >= 0 ? Math.min(MAX_BUDGET, Math.floor(tokens)) : undefined
}

/** The budget that a text names; the usual one where it names none. */
export const parseBudget = (text: string) => parseTokens(text) ?? DEFAULT_BUDGET

/** As on a button: `8k`. */
export function formatTokens(tokens: number): string {
  return tokens >= 1000 && tokens % 1000 === 0 ? `${tokens / 1000}k` : String(tokens)
}
