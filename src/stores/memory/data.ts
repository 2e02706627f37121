import type { EnvelopeView } from '../../domain/envelope.ts'
import type { SessionView } from '../../domain/fold.ts'
import { cloneJson } from '../../domain/json.ts'
import type { Memory, MemoryChange } from '../../domain/memory/memory.ts'
import type { Scope } from '../../domain/record.ts'
import type { IndexMark, UserKey } from '../../ports/recall-index.ts'
import type { CommitLink, IdempotencyStamp, StoredEdge, StoredEvent } from '../../ports/session-store.ts'
import type { TermIndex } from './term-index.ts'

/** One session. */
export interface StoredSession {
  /** Without the envelope. */
  view: SessionView
  /** What is kept of the envelope, and the sequence it was folded to. */
  envelope?: { at: number; view: EnvelopeView }
  events: StoredEvent[]
  /** By what tells them apart. */
  edges: Map<string, StoredEdge>
  keys: Map<string, { fingerprint: string; first: number; last: number }>
  /** How far the readers of its log have come. */
  progress: { -readonly [field in 'indexed' | 'turns' | 'version' | 'extracted']: IndexMark[field] }
}

/** One memory. */
export interface StoredMemory {
  memory: Memory
  fingerprint?: string
  /** Version of its words; absent where it has none. */
  version?: number
  history: MemoryChange[]
}

/** What one or more memory stores hold. */
export interface MemoryData {
  sessions: Map<string, StoredSession>
  /** Those that are coming in and not there yet. */
  pendingImports: Map<string, StoredSession>
  /** Sessions by tenant, user and chatmode. */
  groups: Map<string, StoredSession[]>
  /** The newest session of each scope; where one is live, that one. */
  scopes: Map<string, StoredSession>
  /** Commits of each conversation, in order of position. */
  commitChains: Map<string, CommitLink[]>
  watchers: Map<string, Set<() => void>>
  /** Memories by tenant and user, and by id: two users may have the same one. */
  memories: Map<string, Map<string, StoredMemory>>
  /** Idempotency keys of changes to memories, with the user they belong to, by tenant, user and key. */
  memoryKeys: Map<string, { user: UserKey; stamp: IdempotencyStamp; answer: string; at: string }>
  /** Words by tenant, user and shelf. */
  partitions: Map<string, TermIndex>
  /** Since when no new sessions are taken. */
  pausedSince?: string
}

export function memoryData(): MemoryData {
  return {
    sessions: new Map(),
    pendingImports: new Map(),
    groups: new Map(),
    scopes: new Map(),
    commitChains: new Map(),
    watchers: new Map(),
    memories: new Map(),
    memoryKeys: new Map(),
    partitions: new Map(),
  }
}

/** A session without events. */
export function newSession({ envelope, ...view }: SessionView, edges = new Map<string, StoredEdge>()): StoredSession {
  const read = { indexed: 0, turns: 0, version: 0, extracted: 0 }
  return {
    view: cloneJson(view),
    ...(envelope !== undefined && { envelope: { at: view.envelopeAt, view: cloneJson(envelope) } }),
    events: [],
    edges,
    keys: new Map(),
    progress: read,
  }
}

export function userKey({ tenant, userId }: UserKey): string {
  return JSON.stringify([tenant, userId])
}

export function groupKey({ tenant, userId, chatmode }: Omit<Scope, 'conversationId'>): string {
  return JSON.stringify([tenant, userId, chatmode])
}

export function scopeKey(scope: Scope): string {
  // the first is JSON, which has no line ends of its own
  return `${groupKey(scope)}\n${scope.conversationId}`
}
