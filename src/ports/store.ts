import type { MemoryStore } from './memory-store.ts'
import type { RecallIndex } from './recall-index.ts'
import type { SessionStore } from './session-store.ts'

/** All that one database keeps: the logs, what is remembered of users, and the words of both. */
export interface Store extends SessionStore {
  readonly memories: MemoryStore
  readonly index: RecallIndex
}
