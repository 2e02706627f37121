import type { EnvelopeView } from '../../domain/envelope.ts'
import type { SessionView } from '../../domain/fold.ts'
import { cloneJson } from '../../domain/json.ts'
import type { Memory, MemoryChange } from '../../domain/memory/memory.ts'
import type { Scope } from '../../domain/record.ts'
import { dueAt } from '../../domain/run.ts'
import { UsageRows } from '../../domain/usage.ts'
import type { IndexMark, UserKey } from '../../ports/recall-index.ts'
import type { CommitLink, IdempotencyStamp, StoredEdge, StoredEvent } from '../../ports/session-store.ts'
import type { TermIndex } from './term-index.ts'

/** One session. */
export interface StoredSession {
  /** Without the envelope. */
  view: SessionView
  /** The stored envelope and its sequence. */
  envelope?: { at: number; view: EnvelopeView }
  events: StoredEvent[]
  /** Since when, or from when on, it needs work. */
  dueAt: string | undefined
  /** Bytes of the content and parts of the events. */
  bytes: number
  /** Of the events, in their order. */
  checksums: string[]
  /** By from, label, to and sequence. */
  edges: Map<string, StoredEdge>
  usage: UsageRows
  /** Derived from tool calls, by the name of the tools. */
  derived: Map<string, DerivedWork>
  keys: Map<string, { fingerprint: string; first: number; last: number }>
  /** Index and extraction progress. */
  progress: { -readonly [field in 'indexed' | 'turns' | 'version' | 'extracted']: IndexMark[field] }
}

/** Work derived from tool calls up to an event. */
export interface DerivedWork {
  at: number
  state: string
  edges: Map<string, StoredEdge>
}

/** One memory. */
export interface StoredMemory {
  memory: Memory
  fingerprint?: string
  /** Version of its index entries; absent if it has none. */
  version?: number
  history: MemoryChange[]
}

/** The data that one or more memory stores share. */
export interface MemoryData {
  sessions: Map<string, StoredSession>
  /** Imports that are not complete. */
  pendingImports: Map<string, StoredSession>
  /** Sessions by tenant, user and chatmode. */
  groups: Map<string, StoredSession[]>
  /** The live session of each scope, or the newest one. */
  scopes: Map<string, StoredSession>
  /** Commits of each user in each conversation, in order of position. */
  commitChains: Map<string, CommitLink[]>
  watchers: Map<string, Set<() => void>>
  /** Memories by tenant and user, then by id: two users may have the same id. */
  memories: Map<string, Map<string, StoredMemory>>
  /** Idempotency keys of memory changes, by tenant, user and key. */
  memoryKeys: Map<string, { user: UserKey; stamp: IdempotencyStamp; response: string; at: string }>
  /** Term indexes by tenant, user and corpus. */
  partitions: Map<string, TermIndex>
  /** Since when the intake is paused. */
  pausedSince?: string
  /** From which ids are derived. */
  secret?: string
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
    dueAt: dueAt(view),
    bytes: 0,
    checksums: [],
    edges,
    usage: new UsageRows(),
    derived: new Map(),
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
  // the first part is JSON, which contains no line breaks
  return `${groupKey(scope)}\n${scope.conversationId}`
}
