import type { ForgetSource, Forgotten } from '../../api.ts'
import { MemoryNotFoundError, ValidationError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type LineageEntry, type Memory, sourceKey } from '../../domain/memory/memory.ts'
import { bereft } from '../../domain/memory/remember.ts'
import type { MemoryWrites } from '../../ports/memory-store.ts'
import type { User } from '../../ports/recall-index.ts'
import { userFor } from '../access.ts'
import { type Deps, now } from '../deps.ts'
import { parse } from '../parse.ts'
import { getMemory } from './read.ts'
import { forgetSource } from './schema.ts'

/** Removes one memory, or what comes from a source. */
export async function forget(deps: Deps, what: string | ForgetSource): Promise<Forgotten> {
  if (typeof what !== 'string') return await forgetFrom(deps, what)
  const { id, tenant, userId } = await getMemory(deps, what)
  await deps.store.memories.change({
    tenant,
    userId,
    at: now(deps),
    ids: [id],
    decide(found) {
      if (found.length === 0) throw new MemoryNotFoundError(id)
      return { puts: [], removals: [id] }
    },
  })
  return { forgotten: 1, kept: 0 }
}

/** Removes what was derived from a source. What comes from elsewhere, and was only supported by it, stays without that support. */
async function forgetFrom(deps: Deps, input: ForgetSource): Promise<Forgotten> {
  const { sessionId, source, ...whose } = parse(forgetSource, input)
  const user = userFor(deps, whose)
  const key = sourceKey({ ...(sessionId !== undefined && { sessionId }), ...(source !== undefined && { source }) })
  if (key === undefined || (sessionId !== undefined && source !== undefined)) {
    throw new ValidationError('source', 'must be given, or sessionId, and not both')
  }
  return await withoutEntries(deps, user, key, ({ lineage }, gone) =>
    lineage.some((entry) => entry.relation === 'origin' && gone(entry)),
  )
}

/** Takes a session out of every lineage of its user; memories that nothing else supports go. */
export async function forgetSession(deps: Deps, user: User, sessionId: string): Promise<Forgotten> {
  return await withoutEntries(deps, user, `session:${sessionId}`, () => false)
}

/** Removes memories that have expired, of anyone within. */
export async function forgetExpired(deps: Deps): Promise<number> {
  let forgotten = 0
  for (;;) {
    const at = now(deps)
    const expired = await deps.store.memories.expired(at, LIMITS.page, deps.within)
    for (const [first, ids] of byUser(expired)) {
      const { tenant, userId } = first
      await deps.store.memories.change({ tenant, userId, at, ids, decide: () => ({ puts: [], removals: ids }) })
      forgotten += ids.length
    }
    if (expired.length < LIMITS.page) return forgotten
  }
}

type IsGone = (entry: LineageEntry) => boolean

/** Goes through all memories that a source is part of. `isLost` says which of them go whatever else supports them. */
async function withoutEntries(
  deps: Deps,
  user: User,
  key: string,
  isLost: (memory: Memory, gone: IsGone) => boolean,
): Promise<Forgotten> {
  const gone: IsGone = (entry) => sourceKey(entry) === key
  const total: Forgotten = { forgotten: 0, kept: 0 }
  for (;;) {
    const memories = await deps.store.memories.fromSource({ ...user, key, limit: LIMITS.page })
    if (memories.length === 0) return total
    const at = now(deps)
    let counted: Forgotten = { forgotten: 0, kept: 0 }
    await deps.store.memories.change({
      ...user,
      at,
      ids: memories.map(({ id }) => id),
      decide(found): Required<MemoryWrites> {
        const steps = found.map((memory) => ({
          id: memory.id,
          step: isLost(memory, gone) ? undefined : bereft(memory, gone, at),
        }))
        const puts = steps.flatMap(({ step }) => (step ? [{ memory: step.memory, changes: [step.change] }] : []))
        const removals = steps.flatMap(({ id, step }) => (step === undefined ? [id] : []))
        counted = { forgotten: removals.length, kept: puts.length }
        return { puts, removals }
      },
    })
    total.forgotten += counted.forgotten
    total.kept += counted.kept
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
