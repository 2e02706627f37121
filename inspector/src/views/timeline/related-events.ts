import type { SessionEvent, SessionState } from '../../api/types.ts'
import { stateIn } from './describe.ts'
import { callsIn, LOOK, type LogView, type Origin, type Outcome, originOf, outcomeOf } from './tool-calls.ts'
import type { Peek, TurnNumbers } from './turn-numbers.ts'

/** Calls of a message that are shown. */
export const MOST_CALLS = 50

/** What other events say about one. */
export interface Related {
  /** The outcome of each of its calls. */
  readonly outcomes: readonly Outcome[]
  /** The call that it is the result of. */
  readonly origin?: Origin
  /** The state before a `status_changed`, if known. */
  readonly was?: SessionState
  /** The turn that starts with it. */
  readonly turn?: number
}

const NONE: Related = { outcomes: [] }

/** Finds related events among the loaded ones. Caches them, so that equal results are the same object. */
export class RelatedEvents {
  readonly #found = new WeakMap<SessionEvent, Related>()

  of(event: SessionEvent, known: LogView, turns: TurnNumbers): Related {
    const before = this.#found.get(event)
    const link = before !== undefined && isSettled(event, before) ? before : find(event, known, turns)
    const kept = before !== undefined && isSame(before, link) ? before : link
    this.#found.set(event, kept)
    return kept
  }
}

/** The first event that has to be loaded to complete it. */
export function missingFor({ outcomes, origin }: Related): number | undefined {
  if (origin?.is === 'loading') return origin.missing
  for (const outcome of outcomes) if (outcome.is === 'loading') return outcome.missing
  return undefined
}

function find(event: SessionEvent, known: LogView, turns: TurnNumbers): Related {
  switch (event.type) {
    case 'tool_call':
    case 'model_message': {
      const calls = callsIn(event).slice(0, MOST_CALLS)
      return calls.length === 0 ? NONE : { outcomes: calls.map(({ id }) => outcomeOf(id, event.sequence, known)) }
    }
    case 'tool_result':
      return { outcomes: [], origin: originOf(event, known.peek) }
    case 'status_changed': {
      const was = stateBefore(event, known.peek)
      return was === undefined ? NONE : { outcomes: [], was }
    }
    case 'user_message': {
      const turn = turns.at(event.sequence, known.peek)
      return turn === undefined ? NONE : { outcomes: [], turn }
    }
    default:
      return NONE
  }
}

/** Whether no further event can change it. */
function isSettled({ type }: SessionEvent, { outcomes, origin, was, turn }: Related): boolean {
  if (type === 'user_message') return turn !== undefined
  if (type === 'status_changed') return was !== undefined
  if (type === 'tool_result') return origin?.is !== 'loading'
  return outcomes.every((outcome) => outcome.is === 'result' || outcome.is === 'again' || isFarNone(outcome))
}

const isFarNone = (outcome: Outcome) => outcome.is === 'none' && outcome.looked !== undefined

function isSame(a: Related, b: Related): boolean {
  return (
    a.turn === b.turn &&
    a.was === b.was &&
    a.outcomes.length === b.outcomes.length &&
    JSON.stringify(a.origin) === JSON.stringify(b.origin) &&
    a.outcomes.every((outcome, i) => sameOutcome(outcome, b.outcomes[i]))
  )
}

function sameOutcome(a: Outcome, b: Outcome | undefined): boolean {
  if (a.is === 'result' || b?.is === 'result') return a.is === 'result' && b?.is === 'result' && a.event === b.event
  return JSON.stringify(a) === JSON.stringify(b)
}

/** The state before: of the last loaded change, else the only state that leads to the new one. */
function stateBefore(event: SessionEvent, peek: Peek): SessionState | undefined {
  for (let sequence = event.sequence - 1; sequence >= Math.max(0, event.sequence - LOOK); sequence--) {
    if (sequence === 0) return 'running'
    const before = peek(sequence)
    if (before === undefined) break
    const state = stateIn(before)
    if (state !== undefined) return state
  }
  const state = stateIn(event)
  return state === 'awaiting_user' || state === 'interrupted' || state === 'pending_complete' ? 'running' : undefined
}
