import type { SessionEvent } from '../../src/index.ts'
import { LEASE } from './run-commands.ts'

/** Parts of the events that matter here. */
interface Told {
  status?: { state: string }
  restored?: { status: { state: string }; wakes?: string[] }
  outcome?: string
  id?: string
  key?: string
  at?: string
}

/**
 * Whether a session needs work at that time, by a plain reading of its log: it is running or interrupted, has no live
 * run, and was never worked on, was left by a lost run, was woken, had a request resolved, has a message that came
 * after its last run began, or failed less than five times and has waited long enough.
 */
export function needsWork(log: readonly SessionEvent[], now: number): boolean {
  const told = ({ parts }: SessionEvent) => (parts ?? {}) as Told
  const state = log.reduce((last, one) => (told(one).restored?.status ?? told(one).status)?.state ?? last, 'running')
  if (state !== 'running' && state !== 'interrupted') return false
  const begun = log.findLastIndex(({ type }) => type === 'run_started')
  const started = log[begun]
  if (started === undefined) return true
  const since = log.slice(begun + 1)
  const finished = since.find(({ type }) => type === 'run_finished')
  if (finished === undefined) return Date.parse(started.createdAt) + LEASE <= now
  if (since.some(({ type }) => type === 'user_message' || type === 'request_resolved')) return true
  if (isWoken(log, now)) return true
  if (told(finished).outcome !== 'failed') return false
  const outcomes = log.flatMap((one) => (one.type === 'run_finished' ? [told(one).outcome] : []))
  const failures = outcomes.slice(outcomes.lastIndexOf('completed') + 1).filter((one) => one === 'failed').length
  return failures < 5 && Date.parse(finished.createdAt) + 1000 * 4 ** (failures - 1) <= now
}

function isWoken(log: readonly SessionEvent[], now: number): boolean {
  let open: Told[] = []
  for (const { type, parts } of log) {
    const wake = (parts ?? {}) as Told
    if (type === 'rewound') open = open.filter(({ id = '' }) => wake.restored?.wakes?.includes(id))
    if (type === 'wake_fired') open = open.filter(({ id }) => id !== wake.id)
    if (type !== 'wake_scheduled') continue
    open = [...open.filter(({ key }) => key === undefined || key !== wake.key), wake]
  }
  return open.some(({ at = '' }) => Date.parse(at) <= now)
}
