import type { ForgetSource, Forgotten, WriteOptions } from '../../api.ts'
import { MemoryNotFoundError, ValidationError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isEndOfList } from '../../domain/list-size.ts'
import { type MemoryStep, removeSource } from '../../domain/memory/evidence.ts'
import { type LineageEntry, type Memory, sourceKey } from '../../domain/memory/memory.ts'
import { analyzeText } from '../../domain/recall/analyze.ts'
import { ANALYSIS_VERSION } from '../../domain/recall/postings.ts'
import type { MemoryPut, MemoryWrites } from '../../ports/memory-store.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { IdempotencyStamp, PurgeCounts } from '../../ports/session-store.ts'
import { userFor } from '../kernel/access.ts'
import { type Deps, now } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { stampOf, unlessDone } from './keys.ts'
import { getMemory } from './read.ts'
import { forgetSource } from './schema.ts'

/** Removes one memory, or everything derived from a source. */
export async function forget(deps: Deps, what: string | ForgetSource, options: WriteOptions = {}): Promise<Forgotten> {
  if (typeof what !== 'string') return await forgetFrom(deps, what, options)
  const stamp = stampOf(options, ['forget', what.toLowerCase()])
  // on a repeat the memory is gone, and with it the knowledge of its owner
  return await unlessDone(deps, stamp, deps.within, () => forgetOne(deps, what, stamp), forgottenBefore)
}

async function forgetOne(deps: Deps, what: string, stamp: IdempotencyStamp | undefined): Promise<Forgotten> {
  const { id, tenant, userId } = await getMemory(deps, what)
  const done: Forgotten = { forgotten: 1, kept: 0 }
  await deps.store.memories.change({
    tenant,
    userId,
    at: now(deps),
    ids: [id],
    ...(stamp !== undefined && { idempotency: stamp }),
    decide(found) {
      if (found.length === 0) throw new MemoryNotFoundError(id)
      return { puts: [], removals: [id], response: JSON.stringify(done) }
    },
  })
  return done
}

const forgottenBefore = (response: string) => JSON.parse(response) as Forgotten

/** Removes memories derived from a source. Memories that it only supported stay, without that support. */
async function forgetFrom(deps: Deps, input: ForgetSource, options: WriteOptions): Promise<Forgotten> {
  const { sessionId, source, ...whose } = parse(forgetSource, input)
  const user = userFor(deps, whose)
  const key = sourceKey({ ...(sessionId !== undefined && { sessionId }), ...(source !== undefined && { source }) })
  if (key === undefined || (sessionId !== undefined && source !== undefined)) {
    throw new ValidationError('source', 'pass either source or sessionId')
  }
  const stamp = stampOf(options, ['forget', key])
  return await withoutEntries(deps, user, { key, stamp }, ({ lineage }, gone) =>
    lineage.some((entry) => entry.relation === 'origin' && gone(entry)),
  )
}

/**
 * Purges sessions and their part in the lineage of every memory; memories without other support go too. One step, so
 * that no memory ever names a purged session. `undefined` if one does not exist, or has a child that is not named.
 */
export async function purgeWithMemories(
  deps: Deps,
  user: UserKey,
  sessionIds: readonly string[],
): Promise<(PurgeCounts & { memories: number }) | undefined> {
  const at = now(deps)
  const sources = sessionIds.map((id) => `session:${id}`)
  let memories = 0
  const { purged } = await deps.store.memories.change({
    ...user,
    at,
    sources,
    purge: sessionIds,
    decide(found) {
      const writes = without(found, sources, at, () => false)
      memories = writes.removals.length
      return writes
    },
  })
  return purged && { ...purged, memories }
}

/** Removes expired memories of everyone the caller may see. */
export async function forgetExpired(deps: Deps): Promise<number> {
  let forgotten = 0
  for (;;) {
    const at = now(deps)
    const expired = await deps.store.memories.expired(at, LIMITS.page, deps.within)
    for (const [{ tenant, userId }, ids] of byUser(expired)) {
      let gone = 0
      await deps.store.memories.change({
        tenant,
        userId,
        at,
        ids,
        decide(found) {
          gone = found.length
          return { puts: [], removals: ids }
        },
      })
      forgotten += gone
    }
    if (isEndOfList(expired, LIMITS.page)) return forgotten
  }
}

type IsGone = (entry: LineageEntry) => boolean

/** Memories without these sources. `isLost` says which are removed whatever else supports them. */
function without(
  found: readonly Memory[],
  keys: readonly string[],
  at: string,
  isLost: (memory: Memory, gone: IsGone) => boolean,
): Required<Omit<MemoryWrites, 'response'>> {
  const removed = new Set<string | undefined>(keys)
  const gone: IsGone = (entry) => removed.has(sourceKey(entry))
  const steps = found.map((memory) => ({
    id: memory.id,
    step: isLost(memory, gone) ? undefined : removeSource(memory, gone, at),
  }))
  return {
    puts: steps.flatMap(({ step }) => (step ? [lessened(step)] : [])),
    removals: steps.flatMap(({ id, step }) => (step === undefined ? [id] : [])),
  }
}

/** A memory that becomes current again is indexed again. */
function lessened({ memory, change }: Required<MemoryStep>): MemoryPut {
  const isRestored = change.change === 'restored'
  const words = { description: analyzeText(memory.content), version: ANALYSIS_VERSION }
  return { memory, changes: [change], ...(isRestored && { words }) }
}

/**
 * Walks all memories that a source is part of, page by page. The last step takes the rest and carries the key: an
 * interrupted call continues when it is repeated, and counts what it did itself.
 */
async function withoutEntries(
  deps: Deps,
  user: UserKey,
  { key, stamp }: { key: string; stamp: IdempotencyStamp | undefined },
  isLost: (memory: Memory, gone: IsGone) => boolean,
): Promise<Forgotten> {
  let total: Forgotten = { forgotten: 0, kept: 0 }
  for (;;) {
    const memories = await deps.store.memories.fromSource({ ...user, key, limit: LIMITS.page })
    const isLast = isEndOfList(memories, LIMITS.page)
    const at = now(deps)
    let sum = total
    const { response } = await deps.store.memories.change({
      ...user,
      at,
      ...(isLast ? { sources: [key] } : { ids: memories.map(({ id }) => id) }),
      ...(stamp !== undefined && { idempotency: stamp }),
      decide(found) {
        const writes = without(found, [key], at, isLost)
        sum = { forgotten: total.forgotten + writes.removals.length, kept: total.kept + writes.puts.length }
        return { ...writes, ...(isLast && { response: JSON.stringify(sum) }) }
      },
    })
    if (response !== undefined) return forgottenBefore(response)
    if (isLast) return sum
    total = sum
  }
}

function byUser(memories: readonly Memory[]): Iterable<[Memory, string[]]> {
  const groups = new Map<string, [Memory, string[]]>()
  for (const memory of memories) {
    const key = JSON.stringify([memory.tenant, memory.userId])
    const group = groups.get(key) ?? [memory, []]
    group[1].push(memory.id)
    groups.set(key, group)
  }
  return groups.values()
}
