/** Budgets offered as buttons and used for the comparison. */
export const PRESETS = [1000, 4000, 8000, 32_000, 128_000] as const

export const DEFAULT_BUDGET = 8000
export const MAX_BUDGET = 1_000_000

/** The slider starts at 0, then grows from `min` to `max` by a constant ratio. */
const SLIDER = { min: 100, max: 200_000 } as const
export const SLIDER_STEPS = 100

const STEP = Math.log(SLIDER.max / SLIDER.min) / (SLIDER_STEPS - 1)

/** Tokens at a slider position, rounded to three digits. */
export function tokensAtPosition(place: number): number {
  if (place <= 0) return 0
  return Number((SLIDER.min * Math.exp((Math.min(place, SLIDER_STEPS) - 1) * STEP)).toPrecision(3))
}

/** The slider position nearest to a number of tokens. */
export function sliderPosition(tokens: number): number {
  if (tokens <= 0) return 0
  return Math.min(SLIDER_STEPS, Math.max(1, Math.round(Math.log(tokens / SLIDER.min) / STEP) + 1))
}

/** Parses a number of tokens, capped at the maximum; `undefined` if the text is not one. */
export function parseTokens(text: string): number | undefined {
  const tokens = Number(text.replaceAll(/[\s,_]/g, '') || Number.NaN)
  return Number.isFinite(tokens) && tokens >= 0 ? Math.min(MAX_BUDGET, Math.floor(tokens)) : undefined
}

export const parseBudget = (text: string) => parseTokens(text) ?? DEFAULT_BUDGET

/** Short form for a button: `8k`. */
export function formatTokens(tokens: number): string {
  return tokens >= 1000 && tokens % 1000 === 0 ? `${tokens / 1000}k` : String(tokens)
}
