import type { SessionEvent } from './event.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import type { NoteKind } from './lifecycle.ts'
import type { SessionState } from './record.ts'

/** Kinds of graph nodes. */
export const NODE_KINDS = ['file', 'module', 'item', 'package', 'task', 'note', 'decision', 'diagnostic'] as const

/** One of {@link NODE_KINDS}. */
export type NodeKind = (typeof NODE_KINDS)[number]

/** Labels with a meaning; others of the same form are allowed, see {@link isLabel}. */
export const LABELS = [
  'mentions',
  'updatedIn',
  'derivedFrom',
  'contains',
  'defines',
  'dependsOn',
  'imports',
  'references',
  'calls',
  'implements',
  'reads',
  'decidedIn',
] as const

/** One of {@link LABELS}, or another of the same form. */
export type Label = (typeof LABELS)[number] | (string & {})

/** A relation between two nodes, each written `kind:name`. */
export interface Edge {
  from: string
  label: Label
  to: string
  evidence?: {
    /** Sequence of the supporting event, if it is not the one that states the relation. */
    event?: number
    tool?: string
    /** 0 to 1. @default 1 */
    confidence?: number
  }
}

/** An observation of the work. */
export type Observation =
  | { kind: 'note'; id: string; text: string; about?: NoteKind }
  | { kind: 'plan'; id: string; text: string }
  | { kind: 'fileRead'; path: string }
  /** Stores SHA-256 and length in bytes, not the content. */
  | { kind: 'fileWrite'; path: string; hash?: string; bytes?: number }
  /** `omitted`: number of output characters not stored. */
  | { kind: 'command'; command: string; exitCode?: number; output?: string; omitted?: number }
  | { kind: 'relations'; edges: Edge[] }

/** Parts of `work_committed`: the observations of one step or transition. */
export interface WorkCommit {
  id: string
  /** Ids of the preceding work commits. */
  parents: string[]
  kind: 'step' | NoteKind
  observations: Observation[]
  state: SessionState
  task?: string
}

/**
 * Maximum characters of a node's name; longer names are truncated. Two nodes and a label must fit one index entry,
 * which on Postgres has 2,704 bytes.
 */
const NODE_NAME = 400

/** Returns the node `kind:name`. */
export function nodeOf(kind: NodeKind, name: string): string {
  return `${kind}:${truncateText(name, NODE_NAME)}`
}

/** The node of the session's task; the same in every session, so a fork keeps its edges. */
export const TASK_NODE = 'task:session'

/** Splits a node into kind and name; `undefined` if the text is not a node. */
export function parseNode(text: string): { kind: NodeKind; name: string } | undefined {
  const colon = Math.max(text.indexOf(':'), 0)
  const kind = NODE_KINDS.find((known) => known === text.slice(0, colon))
  const name = text.slice(colon + 1)
  return kind === undefined || name === '' || name.length > NODE_NAME ? undefined : { kind, name }
}

/** Whether the text is a node, `kind:name`. */
export function isNode(text: string): boolean {
  return parseNode(text) !== undefined
}

/** Whether the text can label an edge. */
export function isLabel(text: string): boolean {
  return /^[a-z][A-Za-z]{0,63}$/.test(text)
}

/** Truncates to `limit` characters with a final `…`, never within a surrogate pair. */
export function truncateText(text: string, limit: number): string {
  if (text.length <= limit) return text
  return `${text
    .slice(0, limit - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`
}

/** An edge to store; `evidence` is JSON text. */
export interface WorkEdge {
  from: string
  label: string
  to: string
  evidence: string
}

/**
 * Returns the edges that an event adds: those a work commit states, then those its observations imply, each once.
 * Total: invalid observations and edges are skipped.
 */
export function edgesOf(event: SessionEvent): WorkEdge[] {
  return edgesFrom(observationsOf(event))
}

/** The edges that observations state, then those that they imply, each once. `tool` is the one that showed them. */
export function edgesFrom(observed: readonly Observation[], tool?: string): WorkEdge[] {
  const all = [...observed.flatMap(statedEdges), ...observed.flatMap((one) => impliedEdges(one, tool))]
  const found = new Map<string, WorkEdge>()
  for (const edge of all) {
    const key = JSON.stringify([edge.from, edge.label, edge.to])
    if (!found.has(key)) found.set(key, edge)
  }
  return [...found.values()]
}

/** Keys that must be non-empty text in each kind of observation. */
const REQUIRED_TEXTS = new Map<Json | undefined, readonly string[]>([
  ['note', ['id', 'text']],
  ['plan', ['id', 'text']],
  ['fileRead', ['path']],
  ['fileWrite', ['path']],
  ['command', ['command']],
  ['relations', []],
])

/** Returns the valid observations of a `work_committed` event; none for other types. */
export function observationsOf({ type, parts }: SessionEvent): Observation[] {
  if (type !== 'work_committed' || !isObject(parts) || !Array.isArray(parts['observations'])) return []
  return parts['observations'].filter((value: Json) => {
    if (!isObject(value)) return false
    return REQUIRED_TEXTS.get(value['kind'])?.every((key) => isName(value[key])) ?? false
  })
}

const isName = (value: Json | undefined): value is string => typeof value === 'string' && value !== ''

/** Returns the edges that an observation states. */
export function statedEdges(observed: Observation): WorkEdge[] {
  if (observed.kind !== 'relations' || !Array.isArray(observed.edges)) return []
  return (observed.edges as unknown as readonly Json[]).flatMap((edge) => {
    if (!isObject(edge)) return []
    const { from, label, to, evidence } = edge
    if (!isName(from) || !isName(label) || !isName(to) || !isNode(from) || !isLabel(label) || !isNode(to)) return []
    return [{ from, label, to, evidence: evidenceText(isObject(evidence) ? evidence : {}) }]
  })
}

function evidenceText({ event, tool, confidence }: JsonObject): string {
  const isShare = typeof confidence === 'number' && confidence >= 0 && confidence <= 1
  return JSON.stringify({
    ...(typeof event === 'number' && { event }),
    ...(isName(tool) && { tool }),
    confidence: isShare ? confidence : 1,
  })
}

function impliedEdges(observed: Observation, tool?: string): WorkEdge[] {
  const task = TASK_NODE
  const edge = (from: string, label: Label, to: string) => ({
    from,
    label,
    to,
    evidence: evidenceText(tool === undefined ? {} : { tool }),
  })
  switch (observed.kind) {
    case 'note': {
      const mention = edge(nodeOf('note', observed.id), 'mentions', task)
      return DECISION.test(observed.text)
        ? [mention, edge(nodeOf('decision', observed.id), 'decidedIn', task)]
        : [mention]
    }
    case 'plan': {
      const plan = nodeOf('note', observed.id)
      return [edge(plan, 'mentions', task), edge(plan, 'derivedFrom', task)]
    }
    case 'fileRead':
      return [edge(task, 'references', nodeOf('file', observed.path))]
    case 'fileWrite':
      return [edge(nodeOf('file', observed.path), 'updatedIn', task)]
    case 'command':
      return hasFailed(observed) ? [edge(nodeOf('diagnostic', observed.command), 'derivedFrom', task)] : []
    case 'relations':
      return []
  }
}

/** The start of a note that states a decision. */
export const DECISION = /^\s*decision:\s*(?=\S)/i

/** Whether a command is known to have failed. */
export function hasFailed({ exitCode }: { exitCode?: unknown }): boolean {
  return typeof exitCode === 'number' && exitCode !== 0
}
