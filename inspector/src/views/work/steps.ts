import type { Edge, Json, JsonObject, Observation, SessionEvent } from '../../api/types.ts'
import { isObject, observationsOf, TOOL_WORK_TYPES, toolFold, toolTable } from '../../domain.ts'

/** Types of the events that show work. */
export const WORK_TYPES = ['work_committed', ...TOOL_WORK_TYPES] as const

/** One work commit, or the result of a tool call, as the page shows it. */
export interface Step {
  readonly sequence: number
  readonly at: string
  readonly agent: string | undefined
  readonly id: string
  readonly parents: readonly string[]
  /** `step`, or the kind of note that a state change wrote, or the tool. */
  readonly kind: string
  readonly isToolCall: boolean
  /** The state of the session at that time. */
  readonly state: string
  readonly observations: readonly Observation[]
  /** Entries that are not valid observations. */
  readonly unreadable: number
}

/** The steps in these events. A result whose call is not among them is left out. */
export function stepsOf(events: readonly SessionEvent[], metadata: JsonObject = {}): Step[] {
  const fold = toolFold(toolTable())
  // paths are named from the folder of the session
  fold.add({ type: 'session_started', content: '', parts: { metadata } })
  return events.flatMap((event) => {
    if (event.type === 'work_committed') return [parseStep(event)]
    const work = fold.add(event)
    return work === undefined || work.observations.length === 0 ? [] : [toolStep(event, work)]
  })
}

function toolStep(
  { sequence, createdAt, agentId }: SessionEvent,
  { tool, observations }: { tool: string; observations: readonly Observation[] },
): Step {
  return {
    sequence,
    at: createdAt,
    agent: agentId,
    id: '',
    parents: [],
    kind: tool,
    isToolCall: true,
    state: '',
    observations,
    unreadable: 0,
  }
}

/** Reads a `work_committed` event. Total: parts of any other shape give an empty step. */
export function parseStep(event: SessionEvent): Step {
  const { id, parents, kind, state, observations } = isObject(event.parts) ? event.parts : {}
  const valid = observationsOf(event).map(dropInvalidFields)
  return {
    sequence: event.sequence,
    at: event.createdAt,
    agent: event.agentId,
    id: isText(id) ? id : '',
    parents: Array.isArray(parents) ? parents.filter(isText) : [],
    kind: isText(kind) ? kind : 'step',
    isToolCall: false,
    state: isText(state) ? state : '',
    observations: valid,
    unreadable: (Array.isArray(observations) ? observations.length : 0) - valid.length,
  }
}

const NUMBERS = ['bytes', 'exitCode', 'omitted']

/** The domain checks the required fields; this drops optional ones of another type than documented. */
function dropInvalidFields(observed: Observation): Observation {
  if (observed.kind === 'relations') {
    const edges: unknown = observed.edges
    return { kind: 'relations', edges: Array.isArray(edges) ? edges.filter(isEdge) : [] }
  }
  const fields = Object.entries(observed).filter(([key, value]) =>
    NUMBERS.includes(key) ? typeof value === 'number' : isText(value),
  )
  return Object.fromEntries(fields) as unknown as Observation
}

const isEdge = (value: Json): value is Json & Edge =>
  isObject(value) && isText(value['from']) && isText(value['label']) && isText(value['to'])
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
