import { type Check, formatDuration } from './check.ts'

/** What another clock said, and ours before and after it was asked. All in milliseconds since 1970. */
export interface OtherClock {
  name: string
  time: number
  before: number
  after: number
  /** How exact it is. @default 1 */
  resolution?: number
  /** Nothing goes by it, so that it is no more than a hint. @default false */
  isHint?: boolean
}

/** Milliseconds that two clocks may be apart before it is worth a word, and before it does harm. */
const WARN_MS = 2000
const FAIL_MS = 60_000

const ADVICE = 'set the clocks of both by NTP: when sessions expire, idle or stale, and when tokens end, goes by them'

/** Whether our clock can be right, by the year and by that of whoever we work with. */
export function checkClock(now: number, other?: OtherClock): Check {
  const found = new Date(now).toISOString()
  const year = new Date(now).getUTCFullYear()
  if (year < 2025 || year > 2100) return { name: 'clock', status: 'fail', found, advice: ADVICE }
  if (other === undefined) return { name: 'clock', status: 'ok', found }
  const { name: whose, time: there, before, after, resolution: grain = 1, isHint = false } = other
  const apart = (before + after) / 2 - there
  // what the way there and back, and a coarse clock, leave open
  const atLeast = Math.abs(apart) - (after - before) / 2 - grain / 2
  if (atLeast <= WARN_MS) return { name: 'clock', status: 'ok', found: `${found}, as ${whose} has it` }
  const difference = `${formatDuration(Math.abs(apart))} ${apart > 0 ? 'ahead of' : 'behind'} ${whose}`
  const status = atLeast > FAIL_MS && !isHint ? 'fail' : 'warn'
  return { name: 'clock', status, found: `${found}, ${difference}`, advice: ADVICE }
}
