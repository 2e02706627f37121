import { IdempotencyMismatchError } from '../../domain/errors.ts'
import { cloneJson } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type Memory, sourceKey } from '../../domain/memory/memory.ts'
import { defined } from '../../domain/optional.ts'
import { isWithin, type Principal } from '../../domain/record.ts'
import type { ChangeRequest, MemoryPut, MemoryStore } from '../../ports/memory-store.ts'
import type { IndexPartition, UserKey } from '../../ports/recall-index.ts'
import type { PurgeCounts } from '../../ports/session-store.ts'
import { fillList } from '../page.ts'
import { type MemoryData, type StoredMemory, type StoredSession, userKey } from './data.ts'
import { dropSession } from './recall.ts'
import { addMessages, copyDescription, removeMessages, termIndexOf } from './term-index.ts'

/** The memories of the data. */
export function memoriesStore(
  data: MemoryData,
  assertOpen: () => void,
  purge: (session: StoredSession, at: string) => PurgeCounts,
): MemoryStore {
  const { memories, memoryKeys, sessions, partitions } = data

  /** Memories of each user that may be within. */
  function groups(within: Principal | undefined): Map<string, StoredMemory>[] {
    const { tenant, userId } = within ?? {}
    if (tenant === undefined || userId === undefined) return [...memories.values()]
    return [memories.get(userKey({ tenant, userId })) ?? new Map()]
  }

  function find(ids: readonly string[], within: Principal | undefined): StoredMemory[] {
    const found = groups(within).flatMap((group) => [...new Set(ids)].flatMap((id) => group.get(id) ?? []))
    return found.filter(({ memory }) => isWithin(memory, within))
  }

  /** All within, by id. */
  function all(within: Principal | undefined): StoredMemory[] {
    const held = groups(within).flatMap((group) => [...group.values()])
    return held.filter(({ memory }) => isWithin(memory, within)).sort(byId)
  }

  function findNamed({ ids = [], fingerprints = [], sources = [], ...user }: ChangeRequest): Memory[] {
    const wanted = new Set<string | undefined>(fingerprints)
    const says = wanted.size === 0 ? [] : all(user).filter(({ fingerprint }) => wanted.has(fingerprint))
    const current = says.filter(({ memory }) => memory.supersededBy === undefined)
    const derived = sources.flatMap((source) => derivedFrom(source, user))
    return copyMemories([...new Set([...find(ids, user), ...current, ...derived])])
  }

  function derivedFrom(source: string, user: UserKey): StoredMemory[] {
    return all(user).filter(({ memory }) => memory.lineage.some((entry) => sourceKey(entry) === source))
  }

  /** Whether the sessions exist, belong to the user, and are extracted up to the mark of the change. */
  function isReady({ sessions: wanted = [], mark, purge = [], tenant, userId }: ChangeRequest): boolean {
    const ids = [...wanted, ...(mark ? [mark.sessionId] : []), ...purge]
    const held = ids.map((id) => sessions.get(id))
    if (!held.every((session) => session !== undefined && isWithin(session.view.record, { tenant, userId })))
      return false
    if (purge.some((id) => hasOtherChild(id, purge, { tenant, userId }))) return false
    const session = mark && sessions.get(mark.sessionId)
    return !mark || (session?.progress.extracted === mark.from && session.view.record.head >= mark.to)
  }

  function hasOtherChild(parent: string, purge: readonly string[], user: UserKey): boolean {
    const own = Array.from(sessions.values(), ({ view }) => view.record).filter((record) => isWithin(record, user))
    return own.some((record) => record.parent?.sessionId === parent && !purge.includes(record.id))
  }

  /** The stored response of the key of a change. */
  function findResponse({ idempotency, ...user }: ChangeRequest): string | undefined {
    const held = idempotency && memoryKeys.get(memoryKey(user, idempotency.key))
    if (idempotency === undefined || held === undefined) return undefined
    const { key, fingerprint } = idempotency
    if (held.stamp.fingerprint !== fingerprint) throw new IdempotencyMismatchError({ userId: user.userId, key })
    return held.response
  }

  function put({ memory, fingerprint, words, changes = [] }: MemoryPut): void {
    const group = memories.get(userKey(memory)) ?? new Map<string, StoredMemory>()
    memories.set(userKey(memory), group)
    const held: StoredMemory = group.get(memory.id) ?? { memory, history: [] }
    group.set(memory.id, held)
    held.memory = memory
    if (fingerprint !== undefined) held.fingerprint = fingerprint
    for (const change of changes) held.history.push({ version: held.history.length + 1, ...change })
    if (words === undefined) return
    removeMessages(termIndexOf(partitions, partitionOf(memory)), memory.id)
    delete held.version
    if (words === null) return
    held.version = words.version
    addMessages(termIndexOf(partitions, partitionOf(memory)), memory.id, [messageOf(words.description)])
  }

  function remove({ memory }: StoredMemory): void {
    removeMessages(termIndexOf(partitions, partitionOf(memory)), memory.id)
    memories.get(userKey(memory))?.delete(memory.id)
  }

  return {
    async change(request) {
      assertOpen()
      const { tenant, userId, mark, purge: purgedIds, idempotency: stamp } = request
      const before = findResponse(request)
      if (before !== undefined) return { outcome: 'replayed', memories: [], response: before }
      if (!isReady(request)) return { outcome: 'stale', memories: [] }
      const session = mark && sessions.get(mark.sessionId)
      const { puts, removals = [], response } = request.decide(findNamed(request))
      const copies = puts.map(copyPut)
      for (const each of copies) put(each)
      for (const each of find(removals, request)) remove(each)
      if (stamp !== undefined && response !== undefined) {
        const user = { tenant, userId }
        memoryKeys.set(memoryKey(user, stamp.key), { user, stamp: { ...stamp }, response, at: request.at })
      }
      if (mark !== undefined && session !== undefined) session.progress.extracted = mark.to
      const gone = purgedIds?.flatMap((id) => sessions.get(id) ?? [])
      const purged = gone && addCounts(gone.map((session) => purge(session, request.at)))
      const written = cloneJson(copies.map(({ memory }) => memory))
      return { outcome: 'written', memories: written, ...defined({ purged }) }
    },

    async get(ids, within) {
      assertOpen()
      const places = new Map(ids.map((id, i) => [id, i]))
      const placeOf = ({ memory }: StoredMemory) => places.get(memory.id) ?? 0
      return pageOf(
        find(ids, within).sort((a, b) => placeOf(a) - placeOf(b)),
        Number.POSITIVE_INFINITY,
      )
    },

    async list({ after = '', limit, ...user }) {
      assertOpen()
      const later = all(user).filter(({ memory }) => memory.id > after)
      return pageOf(later, limit)
    },

    async history(id, within, after = 0) {
      assertOpen()
      const [held] = find([id], within)
      return fillList((held?.history ?? []).slice(after, after + LIMITS.page), cloneJson)
    },

    async fromSource({ key, after = '', limit, ...user }) {
      assertOpen()
      const later = derivedFrom(key, user).filter(({ memory }) => memory.id > after)
      return pageOf(later, limit)
    },

    async markUsed(user, ids, at) {
      assertOpen()
      for (const { memory } of find(ids, user)) {
        memory.useCount += 1
        memory.lastUsedAt = at
      }
    },

    async expired(at, limit, within) {
      assertOpen()
      const gone = all(within).filter(({ memory: { expiresAt } }) => expiresAt !== undefined && expiresAt <= at)
      return pageOf(gone, limit)
    },

    async unindexed(user, version, limit) {
      assertOpen()
      const current = all(user).filter(({ memory }) => memory.supersededBy === undefined)
      return pageOf(
        current.filter((each) => (each.version ?? 0) < version),
        limit,
      )
    },

    async findResponse({ key, fingerprint }, within) {
      assertOpen()
      const held = [...memoryKeys.values()].filter(({ user }) => isWithin(user, within))
      return held.find(({ stamp }) => stamp.key === key && stamp.fingerprint === fingerprint)?.response
    },

    async forgetKeys(before, limit, within) {
      assertOpen()
      const old = [...memoryKeys].filter(([, { user, at }]) => at < before && isWithin(user, within))
      const gone = old.sort(([, a], [, b]) => (a.at < b.at ? -1 : 1)).slice(0, limit)
      for (const [key] of gone) memoryKeys.delete(key)
      return gone.length
    },

    async purge(user) {
      assertOpen()
      const gone = all(user)
      const keys = [...memoryKeys].filter(([, key]) => isWithin(key.user, user))
      for (const [key] of keys) memoryKeys.delete(key)
      for (const each of gone) remove(each)
      for (const [id, { view }] of sessions) if (isWithin(view.record, user)) dropSession(data, id)
      return { memories: gone.length, keys: keys.length }
    },
  }
}

function memoryKey({ tenant, userId }: UserKey, key: string): string {
  return JSON.stringify([tenant, userId, key])
}

function partitionOf({ tenant, userId }: UserKey): IndexPartition {
  return { tenant, userId, corpus: 'memories' }
}

/** A memory is indexed as the only message under its id. */
function messageOf(words: NonNullable<MemoryPut['words']>['description']) {
  return { turn: 1, sequence: 0, kind: 'event' as const, speaker: '', time: 0, words }
}

/** Copies the put; fails before anything is written. */
function copyPut({ words, ...put }: MemoryPut): MemoryPut {
  const own = words ? { ...words, description: copyDescription(words.description) } : words
  return defined({ ...cloneJson(put), words: own })
}

function byId(a: StoredMemory, b: StoredMemory): number {
  return a.memory.id < b.memory.id ? -1 : 1
}

function copyMemories(held: readonly StoredMemory[]): Memory[] {
  return cloneJson(held.map(({ memory }) => memory))
}

function pageOf(held: readonly StoredMemory[], limit: number): Memory[] {
  return fillList(held.slice(0, limit), ({ memory }) => cloneJson(memory))
}

function addCounts(all: readonly PurgeCounts[]): PurgeCounts {
  return all.reduce((sum, { events, keys }) => ({ events: sum.events + events, keys: sum.keys + keys }), {
    events: 0,
    keys: 0,
  })
}
