const whole = new Intl.NumberFormat('en')

/** A count with separators. */
export const formatCount = (count: number) => whole.format(count)

/** A count with its unit: `1 call`, `12 calls`. */
export const countOf = (count: number, unit: string) => `${whole.format(count)} ${unit}${count === 1 ? '' : 's'}`

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

/** A number of tokens in three digits: `950`, `45.2K`, `1.2M`. */
export const formatTokens = (tokens: number) => short.format(tokens)

/** A cost in US dollars; small ones with two digits that count. */
export function formatCost(usd: number): string {
  if (usd === 0 || usd >= 0.995) return `$${usd.toFixed(2)}`
  if (usd < 0.0001) return '< $0.0001'
  const text = usd.toFixed(usd < 0.01 ? 4 : usd < 0.1 ? 3 : 2)
  return `$${text.replace(/(?<=\.\d\d+)0+$/, '')}`
}

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** How long something took, in its two largest units: `0.4 s`, `12 s`, `5 min 3 s`, `2 h 10 min`. */
export function formatSpan(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`
  let rest = Math.round(ms / 1000)
  const pieces: string[] = []
  for (const [seconds, name] of UNITS) {
    const count = Math.floor(rest / seconds)
    rest -= count * seconds
    if (count > 0) pieces.push(`${whole.format(count)} ${name}`)
    if (pieces.length > 0 && (pieces.length === 2 || count === 0)) break
  }
  return pieces.join(' ')
}
