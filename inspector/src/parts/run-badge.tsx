import type { RunOutcome } from '../api/types.ts'

/** A run as the page shows it: live, asked to stop, or how it ended. `unfinished`: its end is not in the log. */
export type RunState = RunOutcome | 'live' | 'stopping' | 'unfinished'

/** A shape for each state, so that none is told by its color alone. */
const SHAPES = {
  live: '●',
  stopping: '◐',
  completed: '✓',
  failed: '✗',
  cancelled: '■',
  interrupted: '◆',
  lost: '?',
  unfinished: '–',
} as const satisfies Record<RunState, string>

export const RUN_STATE_NAMES = {
  live: 'live',
  stopping: 'asked to stop',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
  lost: 'lost',
  unfinished: 'no end recorded',
} as const satisfies Record<RunState, string>

/** The state of a run as a shape; the text is beside it. */
export function RunShape({ state }: { state: RunState }) {
  return <span aria-hidden="true">{SHAPES[state]}</span>
}

export function RunBadge({ state }: { state: RunState }) {
  return (
    <span class="badge" data-run={state}>
      <RunShape state={state} /> {RUN_STATE_NAMES[state]}
    </span>
  )
}
