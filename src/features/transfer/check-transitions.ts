import { ValidationError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { ForkedParts, SessionView, StatusParts } from '../../domain/fold.ts'
import { isAllowed, LIFECYCLE, type LifecycleCommandName } from '../../domain/lifecycle.ts'
import type { SessionState, SessionStatus } from '../../domain/record.ts'
import type { RewoundParts } from '../../domain/rewind.ts'

/**
 * Throws `ValidationError` for an event that no store would have written after these views: a sweep would retry such a
 * session forever. Its time may be earlier than that of the previous event, since the clocks of writers differ.
 */
export function checkNext(view: SessionView, event: SessionEvent): void {
  const problem = problemOf(view, event)
  if (problem !== undefined) throw new ValidationError(`event ${event.sequence}`, problem)
}

function problemOf({ record, commit }: SessionView, event: SessionEvent): string | undefined {
  const { sequence, type } = event
  if (type === 'session_forked') return forkProblem(event)
  if (type === 'session_compacted') {
    if (record.endedAt === undefined) return 'cannot be a commit: the session has not ended'
    if (commit !== undefined) return 'cannot be a commit: the session already has one'
    return rangeProblem(event)
  }
  if (record.endedAt !== undefined) return `cannot be a ${type}: the session ended before it`
  if (type === 'context_summarized') return rangeProblem(event)
  if (type === 'rewound') return rewindProblem(event)
  if (type !== 'status_changed') return undefined
  const { state } = record.status
  const { status } = event.parts as unknown as StatusParts
  return mayBecome(state, status)
    ? undefined
    : `is not a legal transition: from ${state} at ${sequence - 1} to ${status.state}`
}

/** Whether a command leads from that state to this status. */
function mayBecome(from: SessionState, to: SessionStatus): boolean {
  const isCallers = to.state === 'complete' && to.endedBy === 'caller'
  const commands = Object.keys(LIFECYCLE) as LifecycleCommandName[]
  return commands.some(
    (command) => LIFECYCLE[command].to === to.state && (command === 'end') === isCallers && isAllowed(from, command),
  )
}

/** A fork must follow the copied events directly. */
function forkProblem({ sequence, parts }: SessionEvent): string | undefined {
  const { from } = parts as unknown as ForkedParts
  return from.sequence === sequence - 1 ? undefined : `cannot be a fork: its from.sequence must be ${sequence - 1}`
}

/** A rewind goes back, and what it restores is of the log up to its target. */
function rewindProblem({ sequence, parts }: SessionEvent): string | undefined {
  const { to, restored } = parts as unknown as RewoundParts
  if (to >= sequence - 1) return `cannot be a rewind: its target must be before ${sequence - 1}`
  if (restored.clearedAt > to) return 'has a clear after the target of its rewind'
  let last = 0
  for (const [from, end] of restored.hidden ?? []) {
    // the first event is never hidden, and one between two ranges is visible
    if (from <= last + 1 || end < from || end >= to) return 'has hidden ranges that its target cannot have'
    last = end
  }
  return undefined
}

function rangeProblem({ sequence, parts }: SessionEvent): string | undefined {
  const { range } = parts as { range?: { from: number; to: number } }
  if (range === undefined || (range.from <= range.to && range.to < sequence)) return undefined
  return 'has a range outside the log before it'
}
