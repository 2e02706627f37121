import type { SessionView } from '../../domain/fold.ts'
import type { Scope } from '../../domain/record.ts'
import type { CommitLink, StoredEdge, StoredEvent } from '../../ports/session-store.ts'

/** One session. */
export interface Held {
  view: SessionView
  events: StoredEvent[]
  /** By what tells them apart. */
  edges: Map<string, StoredEdge>
  keys: Map<string, { fingerprint: string; first: number; last: number }>
}

/** What one or more memory stores hold. */
export interface MemoryData {
  sessions: Map<string, Held>
  /** Sessions by tenant, user and chatmode. */
  groups: Map<string, Held[]>
  /** The newest session of each scope. */
  scopes: Map<string, Held>
  /** Commits of each conversation, in order of position. */
  chains: Map<string, CommitLink[]>
  watchers: Map<string, Set<() => void>>
}

export function memoryData(): MemoryData {
  return { sessions: new Map(), groups: new Map(), scopes: new Map(), chains: new Map(), watchers: new Map() }
}

export function groupKey({ tenant, userId, chatmode }: Omit<Scope, 'conversationId'>): string {
  return JSON.stringify([tenant, userId, chatmode])
}

export function scopeKey(scope: Scope): string {
  return JSON.stringify([groupKey(scope), scope.conversationId])
}
