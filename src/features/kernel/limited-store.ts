import { bytesOfAll } from '../../domain/event-size.ts'
import type { Memory } from '../../domain/memory/memory.ts'
import { memoryBytes } from '../../domain/memory/memory-size.ts'
import type { Principal } from '../../domain/record.ts'
import type { ImportStore } from '../../ports/import-store.ts'
import type { MemoryStore, MemoryWrites } from '../../ports/memory-store.ts'
import type { CreateRequest, CreateResult, NewEvent, SessionStore } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { type Quotas, ROW_BYTES } from './quotas.ts'

/**
 * The store as a caller with a quota uses it. Once the quota is used up it refuses what adds to the store, except a
 * decision that leaves its session ended. A repeated write still returns what was written before.
 */
export function limitedStore(store: Store, caller: Principal, quotas: Quotas): Store {
  return {
    ...store,
    ...limitedSessions(store, caller, quotas),
    imports: { ...store.imports, ...limitedImports(store.imports, caller, quotas) },
    memories: { ...store.memories, ...limitedMemories(store.memories, caller, quotas) },
  }
}

type SessionWrites = Pick<SessionStore, 'append' | 'decide' | 'create' | 'fork' | 'purge'>

function limitedSessions(store: Store, caller: Principal, quotas: Quotas): SessionWrites {
  const add = (events: readonly NewEvent[]) => quotas.add(caller, sizeOf(events))

  /** The session that a create returns instead of making one. */
  async function existing({ view, reuse, at }: CreateRequest): Promise<CreateResult | undefined> {
    const { id, tenant, userId, chatmode, conversationId } = view.record
    const same = await store.record({ sessionId: id })
    if (same !== undefined) return { outcome: 'same-id', record: same }
    if (reuse === 'none') return undefined
    const scope = { tenant, userId, chatmode, at, ...(reuse === 'conversation' && { conversationId }) }
    const record = await store.active(scope)
    return record && { outcome: 'found', record }
  }

  return {
    append(request) {
      const write = async () => {
        const result = await store.append(request)
        if (!result.replayed) add(request.events)
        return result
      }
      // a decision returns what the key wrote before
      const replay = (error: Error) => store.decide({ ...request, decide: () => fail(error) })
      return quotas.run(caller, write, request.idempotency === undefined ? reject : replay)
    },

    decide(request) {
      const decide = async (error?: Error) => {
        let events: readonly NewEvent[] = []
        const result = await store.decide({
          ...request,
          decide(view, last) {
            const decision = request.decide(view, last)
            events = decision.events
            const isEnded = decision.view.record.endedAt !== undefined
            return error === undefined || events.length === 0 || isEnded ? decision : fail(error)
          },
        })
        if (!result.replayed) add(events)
        return result
      }
      return quotas.run(caller, decide, decide)
    },

    create(request) {
      const write = async () => {
        const result = await store.create(request)
        if (result.outcome === 'created') add([request.event])
        return result
      }
      return quotas.run(caller, write, async (error) => (await existing(request)) ?? fail(error))
    },

    fork(request) {
      const { id } = request.view.record
      const write = async () => {
        const result = await store.fork(request)
        if (result.outcome !== 'created') return result
        const { head, bytes } = await store.logSize({ sessionId: id })
        quotas.add(caller, bytes + ROW_BYTES * head)
        return result
      }
      const refuse = async (error: Error): Promise<CreateResult> => {
        const record = await store.record({ sessionId: id })
        return record === undefined ? fail(error) : { outcome: 'same-id', record }
      }
      return quotas.run(caller, write, refuse)
    },

    async purge(key, at) {
      const counts = await store.purge(key, at)
      quotas.free(caller)
      return counts
    },
  }
}

function limitedImports(
  imports: ImportStore,
  caller: Principal,
  quotas: Quotas,
): Pick<ImportStore, 'write' | 'discard'> {
  return {
    write(block) {
      const write = async () => {
        await imports.write(block)
        quotas.add(caller, sizeOf(block.events))
      }
      return quotas.run(caller, write, reject)
    },

    async discard(key) {
      const events = await imports.discard(key)
      quotas.free(caller)
      return events
    },
  }
}

function limitedMemories(
  memories: MemoryStore,
  caller: Principal,
  quotas: Quotas,
): Pick<MemoryStore, 'change' | 'purge'> {
  return {
    change(request) {
      const change = async (error?: Error) => {
        let added = 0
        const result = await memories.change({
          ...request,
          decide(found) {
            const writes = request.decide(found)
            added = addedBytes(found, writes)
            return error === undefined || added <= 0 ? writes : fail(error)
          },
        })
        if (result.outcome === 'written' && added > 0) quotas.add(caller, added)
        if (added < 0 || request.purge !== undefined) quotas.free(caller)
        return result
      }
      return quotas.run(caller, change, change)
    },

    async purge(user) {
      const counts = await memories.purge(user)
      quotas.free(caller)
      return counts
    },
  }
}

function fail(error: Error): never {
  throw error
}

const reject = (error: Error) => Promise.reject(error)

function sizeOf(events: readonly NewEvent[]): number {
  return bytesOfAll(events) + ROW_BYTES * events.length
}

/** Bytes that a change of memories adds; negative if it removes more. */
function addedBytes(found: readonly Memory[], { puts, removals = [] }: MemoryWrites): number {
  const before = new Map(found.map((memory) => [memory.id, memoryBytes(memory) + ROW_BYTES]))
  let bytes = 0
  for (const { memory } of puts) bytes += memoryBytes(memory) + ROW_BYTES - (before.get(memory.id) ?? 0)
  for (const id of removals) bytes -= before.get(id) ?? ROW_BYTES
  return bytes
}
