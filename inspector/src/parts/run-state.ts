import type { LiveRun } from '../api/types.ts'

/** Whether a live run was asked to stop. */
export function runState({ cancelled, interruptedAt }: LiveRun): 'live' | 'stopping' {
  return cancelled === undefined && interruptedAt === undefined ? 'live' : 'stopping'
}
