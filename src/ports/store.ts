import type { EnvelopeStore } from './envelope-store.ts'
import type { ImportStore } from './import-store.ts'
import type { MemoryStore } from './memory-store.ts'
import type { RecallIndex } from './recall-index.ts'
import type { SessionStore } from './session-store.ts'

/** Everything one database stores: logs, memories, the search index, envelopes and unfinished imports. */
export interface Store extends SessionStore {
  readonly memories: MemoryStore
  readonly index: RecallIndex
  readonly envelopes: EnvelopeStore
  readonly imports: ImportStore
}
