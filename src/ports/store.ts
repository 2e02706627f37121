import type { EnvelopeStore } from './envelope-store.ts'
import type { ImportStore } from './import-store.ts'
import type { MemoryStore } from './memory-store.ts'
import type { RecallIndex } from './recall-index.ts'
import type { SessionStore } from './session-store.ts'

/** All that one database keeps: the logs, what is remembered of users, the words of both, the envelopes, and what is coming in. */
export interface Store extends SessionStore {
  readonly memories: MemoryStore
  readonly index: RecallIndex
  readonly envelopes: EnvelopeStore
  readonly imports: ImportStore
}
