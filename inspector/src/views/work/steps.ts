import type { Edge, Json, JsonObject, Observation, SessionEvent } from '../../api/types.ts'

/** One work commit as it is shown. */
export interface Step {
  readonly sequence: number
  readonly at: string
  readonly agent: string | undefined
  readonly id: string
  readonly parents: readonly string[]
  /** `step`, or what the note of a state change is about. */
  readonly kind: string
  /** The state of the session then. */
  readonly state: string
  readonly observations: readonly Observation[]
  /** Entries that do not read as an observation. */
  readonly unreadable: number
}

/** What a `work_committed` event holds. Total: whatever its parts are, it is a step, if an empty one. */
export function parseStep({ sequence, createdAt, agentId, parts }: SessionEvent): Step {
  const { id, parents, kind, state, observations } = isObject(parts) ? parts : {}
  const entries = Array.isArray(observations) ? observations : []
  const read = entries.map(parseObservation).filter((observed) => observed !== undefined)
  return {
    sequence,
    at: createdAt,
    agent: agentId,
    id: text(id) ?? '',
    parents: Array.isArray(parents) ? parents.filter(isText) : [],
    kind: text(kind) ?? 'step',
    state: text(state) ?? '',
    observations: read,
    unreadable: entries.length - read.length,
  }
}

/** The entry with the fields that are as documented and no others; `undefined` if it is no observation. */
function parseObservation(entry: Json): Observation | undefined {
  if (!isObject(entry)) return undefined
  const { kind } = entry
  if (kind === 'note' || kind === 'plan') return parseNote(kind, entry)
  if (kind === 'command') return parseCommand(entry)
  if (kind === 'relations')
    return { kind, edges: Array.isArray(entry['edges']) ? entry['edges'].flatMap(parseEdge) : [] }
  const path = text(entry['path'])
  if (path === undefined) return undefined
  if (kind === 'fileRead') return { kind, path }
  if (kind !== 'fileWrite') return undefined
  const hash = text(entry['hash'])
  const bytes = number(entry['bytes'])
  return { kind, path, ...(hash !== undefined && { hash }), ...(bytes !== undefined && { bytes }) }
}

function parseNote(kind: 'note' | 'plan', entry: JsonObject): Observation | undefined {
  const id = text(entry['id'])
  const words = text(entry['text'])
  const about = text(entry['about']) as (Observation & { kind: 'note' })['about']
  if (id === undefined || words === undefined) return undefined
  return kind === 'plan' || about === undefined ? { kind, id, text: words } : { kind, id, text: words, about }
}

function parseCommand(entry: JsonObject): Observation | undefined {
  const command = text(entry['command'])
  if (command === undefined) return undefined
  const exitCode = number(entry['exitCode'])
  const output = text(entry['output'])
  const omitted = number(entry['omitted'])
  return {
    kind: 'command',
    command,
    ...(exitCode !== undefined && { exitCode }),
    ...(output !== undefined && { output }),
    ...(omitted !== undefined && { omitted }),
  }
}

function parseEdge(entry: Json): Edge[] {
  if (!isObject(entry)) return []
  const { from, label, to } = entry
  return isText(from) && isText(label) && isText(to) ? [{ from, label, to }] : []
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== ''
const text = (value: Json | undefined) => (isText(value) ? value : undefined)
const number = (value: Json | undefined) => (typeof value === 'number' ? value : undefined)
