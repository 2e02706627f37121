import { type Check, fail, formatDuration, ok, warn } from './check.ts'

/** A reading of another clock, with our time before and after it. All in milliseconds since 1970. */
export interface OtherClock {
  name: string
  time: number
  before: number
  after: number
  /** Its resolution in milliseconds. @default 1 */
  resolution?: number
  /** No feature depends on it, so a difference is only a warning. @default false */
  isHint?: boolean
}

/** Clock differences that warn, and that fail because they do harm. */
const WARN_MS = 2000
const FAIL_MS = 60_000

const ADVICE = 'synchronize both clocks with NTP: session timeouts and token expiry depend on them'

/** Checks the year, and compares our clock with another one if given. */
export function checkClock(now: number, other?: OtherClock): Check {
  const found = new Date(now).toISOString()
  const year = new Date(now).getUTCFullYear()
  if (year < 2025 || year > 2100) return fail('clock', found, ADVICE)
  if (other === undefined) return ok('clock', found)
  const { name, time, before, after, resolution = 1, isHint = false } = other
  const apart = (before + after) / 2 - time
  // subtract the uncertainty of the round trip and of a coarse clock
  const atLeast = Math.abs(apart) - (after - before) / 2 - resolution / 2
  if (atLeast <= WARN_MS) return ok('clock', `${found}, agrees with ${name}`)
  const difference = `${formatDuration(Math.abs(apart))} ${apart > 0 ? 'ahead of' : 'behind'} ${name}`
  return (atLeast > FAIL_MS && !isHint ? fail : warn)('clock', `${found}, ${difference}`, ADVICE)
}
