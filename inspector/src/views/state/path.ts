import type { LifecycleCommandName, SessionEvent, SessionState, SessionStatus } from '../../api/types.ts'
import { isFinal, LIFECYCLE, SESSION_STATES } from '../../domain.ts'
import { statusText } from '../../parts/status.tsx'
import { commandBetween } from './transitions.ts'

/** How a session came into a state. */
export type StepKind = LifecycleCommandName | 'create' | 'fork'

/** One step of a session through the state machine. */
export interface Step {
  /** The event that records it. */
  readonly sequence: number
  readonly at: string
  /** When the next step came; absent for the current state. */
  readonly until?: string
  /** The state before; absent if unknown. */
  readonly from?: SessionState
  readonly state: SessionState
  /** Absent if unknown: the step before was not loaded, or another version wrote it. */
  readonly kind?: StepKind
  /** The text of the status: question, user message, summary or reason. */
  readonly note: string
  /** The active agent. */
  readonly agent?: string
  /** Happened in the source session of a fork. */
  readonly isPast?: true
  /** The event that a fork starts from. */
  readonly source?: { readonly sessionId: string; readonly sequence: number }
}

/** Event types that {@link buildPath} reads. */
export const PATH_TYPES = ['session_started', 'session_forked', 'status_changed'] as const
/** Event types that tell {@link buildPath} the active agent. */
export const AGENT_TYPES = ['agent_changed', 'agent_transition'] as const

/**
 * Builds the path through the state machine, oldest step first, from events in log order. If the events start in the
 * middle of the log, the state before the first step is unknown. If `switches` are incomplete, so is the agent before
 * the first of them; without any switch it is the agent `active` now. Total: invalid events are skipped.
 */
export function buildPath(
  events: readonly SessionEvent[],
  switches: readonly SessionEvent[] = [],
  areAllSwitches = true,
  active = '',
): Step[] {
  const agentAt = agentLookup(events, switches, areAllSwitches, active)
  const steps: Step[] = []
  for (const event of events) {
    const last = steps.at(-1)
    const step = toStep(event, last)
    if (step === undefined) continue
    if (last !== undefined) steps[steps.length - 1] = { ...last, until: step.at }
    const agent = agentAt(event.sequence)
    steps.push(agent === undefined ? step : { ...step, agent })
  }
  const fork = steps.findLastIndex(({ kind }) => kind === 'fork')
  return steps.map((step, i) => (i < fork ? { ...step, isPast: true as const } : step))
}

function toStep(event: SessionEvent, last: Step | undefined): Step | undefined {
  const { type, sequence, createdAt: at } = event
  switch (type) {
    case 'session_started':
      return { sequence, at, state: 'running', kind: 'create', note: readText(event, 'task') }
    case 'session_forked':
      return toForkStep(event, last)
    case 'status_changed': {
      const status = readStatus(event)
      if (status === undefined) return undefined
      const isEnd = status.state === 'complete' && status.endedBy === 'caller'
      const kind = last === undefined ? inferFirstKind(status, isEnd) : commandBetween(last.state, status.state, isEnd)
      return {
        sequence,
        at,
        ...(last !== undefined && { from: last.state }),
        state: status.state,
        ...(kind !== undefined && { kind }),
        note: statusText(status),
      }
    }
    default:
      return undefined
  }
}

/** Without the step before, the kind is known only if a single command leads to the state. */
function inferFirstKind({ state }: SessionStatus, isEnd: boolean): StepKind | undefined {
  if (isEnd) return 'end'
  const candidates = Object.entries(LIFECYCLE).filter(([name, { to }]) => to === state && name !== 'end')
  return candidates.length === 1 ? (candidates[0]?.[0] as StepKind) : undefined
}

/** A fork continues in the state of its source, or runs again if the source had ended. */
function toForkStep(event: SessionEvent, last: Step | undefined): Step {
  const { sequence, createdAt: at } = event
  const state = last === undefined || isFinal(last.state) ? 'running' : last.state
  const source = asObject(asObject(event.parts)['from'])
  const { sessionId, sequence: place } = source
  return {
    sequence,
    at,
    ...(last !== undefined && { from: last.state }),
    state,
    kind: 'fork',
    note: '',
    ...(typeof sessionId === 'string' && typeof place === 'number' && { source: { sessionId, sequence: place } }),
  }
}

const STATES: readonly string[] = SESSION_STATES

function readStatus(event: SessionEvent): SessionStatus | undefined {
  const status = asObject(asObject(event.parts)['status'])
  return STATES.includes(String(status['state'])) ? (status as unknown as SessionStatus) : undefined
}

/** The note that a state change wrote into a work commit; `undefined` if there is none. */
export function readWorkNote(event: SessionEvent | undefined): string | undefined {
  if (event?.type !== 'work_committed') return undefined
  const observed = asObject(event.parts)['observations']
  if (!Array.isArray(observed)) return undefined
  const note = observed.map(asObject).findLast(({ kind, about }) => kind === 'note' && typeof about === 'string')
  return note === undefined ? undefined : text(note['text'])
}

/** Looks up the active agent at an event; `undefined` if unknown. */
function agentLookup(
  events: readonly SessionEvent[],
  switches: readonly SessionEvent[],
  areAll: boolean,
  active: string,
) {
  const [first] = switches
  const started = events.find(({ type }) => type === 'session_started')
  const known = first === undefined ? readText(started, 'agent') || active : readText(first, 'from')
  const before = areAll ? known : ''
  return (sequence: number): string | undefined => {
    const last = switches.findLast((event) => event.sequence < sequence)
    const agent = last === undefined ? before : readText(last, 'to')
    return agent === '' ? undefined : agent
  }
}

const readText = (event: SessionEvent | undefined, key: string) => text(asObject(event?.parts)[key])
const text = (value: unknown) => (typeof value === 'string' ? value : '')
const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** Counts the steps of this session, without those of its source. */
export function countSteps(steps: readonly Step[]): ReadonlyMap<StepKind, number> {
  const times = new Map<StepKind, number>()
  for (const { kind, isPast } of steps) if (kind !== undefined && !isPast) times.set(kind, (times.get(kind) ?? 0) + 1)
  return times
}

/** Milliseconds spent in the state of a step, as of `now`; `undefined` for a final state. */
export function timeInState({ at, until, state }: Step, now: number): number | undefined {
  if (until === undefined && isFinal(state)) return undefined
  return Math.max(0, (until === undefined ? now : Date.parse(until)) - Date.parse(at))
}
