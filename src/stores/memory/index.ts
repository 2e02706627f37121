import {
  IdempotencyMismatchError,
  IntakePausedError,
  RunLostError,
  SequenceConflictError,
  SessionNotFoundError,
  StorageError,
} from '../../domain/errors.ts'
import { countTurns } from '../../domain/event.ts'
import { bytesOfAll } from '../../domain/event-size.ts'
import { cloneJson } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import { checkLive, isWithin } from '../../domain/record.ts'
import { dueAt, isRunLive, takesWork, withStoredLease } from '../../domain/run.ts'
import type { NewEvent, SessionKey, SessionStore, StoredEvent, WriteResult } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { storedEvent } from '../stored-event.ts'
import { memoryData, newSession, type StoredSession } from './data.ts'
import { envelopeStore, loadView, replaceView } from './envelopes.ts'
import { importStore } from './imports.ts'
import { memoriesStore } from './memories.ts'
import { recallIndex } from './recall.ts'
import { selectAsking, selectClaimable } from './runs.ts'
import { selectEvents, selectRecords } from './select.ts'
import {
  addSession,
  checkParent,
  descendantsOf,
  findActive,
  findBlocking,
  labelledIds,
  notifyWatchers,
  records,
  removeSession,
} from './sessions.ts'
import { sumStorage } from './storage.ts'
import { addUsage, changeUsage, selectUsage, sumUsage } from './usage.ts'
import { addEdge, addLink, edgeMap, isPositionFree, lastCommit, selectDue, selectEdges, selectLinks } from './work.ts'

export { type MemoryData, memoryData } from './data.ts'

/** Stores everything in this process. Stores with the same data share it. */
export function memoryStore(newId: () => string, data = memoryData()): Store {
  const { sessions, pendingImports, commitChains, watchers } = data
  let closed = false

  function assertOpen(): void {
    if (closed) throw new StorageError('memory', 'the store is closed')
  }

  function findSession({ sessionId, within }: SessionKey): StoredSession | undefined {
    const session = sessions.get(sessionId)
    return session !== undefined && isWithin(session.view.record, within) ? session : undefined
  }

  function requireSession(key: SessionKey): StoredSession {
    const session = findSession(key)
    if (session === undefined) throw new SessionNotFoundError(key.sessionId)
    return session
  }

  function replay(
    session: StoredSession,
    { sessionId, idempotency }: Parameters<SessionStore['append']>[0],
  ): WriteResult | undefined {
    const known = idempotency && session.keys.get(idempotency.key)
    if (known === undefined) return undefined
    if (known.fingerprint !== idempotency?.fingerprint) {
      throw new IdempotencyMismatchError({ sessionId, key: idempotency?.key ?? '' })
    }
    return { events: session.events.slice(known.first - 1, known.last), replayed: true }
  }

  function write(session: StoredSession, events: readonly NewEvent[], at: string): StoredEvent[] {
    const first = session.events.length + 1
    const stored = events.map((event, i) => storedEvent(event, first + i, at))
    session.events.push(...stored)
    session.bytes += bytesOfAll(events)
    for (const { checksum } of events) session.checksums.push(checksum)
    return stored
  }

  function saveKey(
    session: StoredSession,
    key: { key: string; fingerprint: string } | undefined,
    events: StoredEvent[],
  ): void {
    const [first, last] = [events[0], events.at(-1)]
    if (key === undefined || first === undefined || last === undefined) return
    session.keys.set(key.key, { fingerprint: key.fingerprint, first: first.sequence, last: last.sequence })
  }

  /** Throws if an import with this id is pending. */
  function checkNotPending(sessionId: string): void {
    if (pendingImports.has(sessionId)) throw new IdempotencyMismatchError({ sessionId })
  }

  function checkIntake(): void {
    if (data.pausedSince !== undefined) throw new IntakePausedError(data.pausedSince)
  }

  return {
    name: 'memory',
    clock: { now: () => Date.now(), sync: async () => {} },
    memories: memoriesStore(data, assertOpen, (session, at) => removeSession(data, session, at)),
    index: recallIndex(data, assertOpen),
    envelopes: envelopeStore(data, assertOpen),
    imports: importStore(data, assertOpen),

    async create({ event, at, view, reuse, ignorePause }) {
      assertOpen()
      const { record } = view
      const same = sessions.get(record.id)
      if (same !== undefined) return { outcome: 'same-id', record: cloneJson(same.view.record) }
      checkNotPending(record.id)
      checkParent(data, record, at)
      const { conversationId, tenant, userId, chatmode } = record
      const group = { tenant, userId, chatmode, at }
      const found = reuse !== 'none' && findActive(data, reuse === 'any' ? group : { ...group, conversationId })
      if (found) return { outcome: 'found', record: cloneJson(found) }
      const blocker = findBlocking(data, record)
      if (blocker !== undefined) return { outcome: 'blocked', record: cloneJson(blocker) }
      if (ignorePause !== true) checkIntake()
      const session = newSession(view)
      write(session, [event], at)
      addSession(data, session)
      return { outcome: 'created', record: cloneJson(record) }
    },

    async append(request) {
      assertOpen()
      const { sessionId, events, at, expectedSequence } = request
      const session = requireSession(request)
      const known = replay(session, request)
      if (known !== undefined) return known
      const { record } = session.view
      checkLive(record, at)
      if (expectedSequence !== undefined && expectedSequence !== record.head) {
        throw new SequenceConflictError({ sessionId, expected: expectedSequence, actual: record.head })
      }
      if (request.run !== undefined && request.run !== record.run?.generation) {
        throw new RunLostError({ sessionId, generation: request.run })
      }
      const stored = write(session, events, at)
      record.head += events.length
      record.turns += countTurns(events)
      record.lastActivityAt = at
      if (countTurns(events) > 0 && takesWork(record.status.state) && record.run === undefined) {
        session.dueAt = session.dueAt === undefined || session.dueAt > at ? at : session.dueAt
      }
      addUsage(session, request)
      saveKey(session, request.idempotency, stored)
      notifyWatchers(data, sessionId)
      return { events: stored, replayed: false }
    },

    async decide(request) {
      assertOpen()
      const session = requireSession(request)
      const known = replay(session, { ...request, events: [] })
      if (known !== undefined) return known
      const before = session.view
      const last = request.chained ? lastCommit(commitChains, before) : undefined
      const { events, view, edges = [], usage } = request.decide(loadView(session), cloneJson(last))
      if (events.length === 0) return { events: [], replayed: false }
      const commits = view.commit !== undefined && view.commit.id !== before.commit?.id
      if (commits && !isPositionFree(commitChains, view))
        throw new StorageError('memory', 'another commit has this position')
      const stored = write(session, events, request.at)
      replaceView(session, view)
      const first = stored[0]?.sequence ?? 0
      for (const { event, ...edge } of edges) addEdge(session.edges, { ...edge, sequence: first + event })
      for (const sums of usage?.models ?? []) session.usage.put(request.at, sums)
      if (commits) addLink(commitChains, view, request.at)
      saveKey(session, request.idempotency, stored)
      notifyWatchers(data, request.sessionId)
      return { events: stored, replayed: false }
    },

    async fork({ source, event, at, view }) {
      assertOpen()
      const same = sessions.get(view.record.id)
      if (same !== undefined) return { outcome: 'same-id', record: cloneJson(same.view.record) }
      checkNotPending(view.record.id)
      const origin = requireSession(source)
      checkIntake()
      const copied = Array.from(origin.edges.values()).filter(({ sequence }) => sequence <= source.sequence)
      const session = newSession(view, edgeMap(copied))
      for (const [i, original] of origin.events.slice(0, source.sequence).entries()) {
        const checksum = origin.checksums[i] as string
        write(session, [{ ...original, id: newId(), checksum }], original.createdAt)
      }
      write(session, [event], at)
      addSession(data, session)
      return { outcome: 'created', record: cloneJson(view.record) }
    },

    async load(key) {
      assertOpen()
      const session = findSession(key)
      return session && loadView(session)
    },

    async record(key) {
      assertOpen()
      return cloneJson(findSession(key)?.view.record)
    },

    async state(key) {
      assertOpen()
      return cloneJson(findSession(key)?.view.state)
    },

    async read(key, query) {
      assertOpen()
      const { events, view } = requireSession(key)
      return selectEvents(events, query, view)
    },

    async checksums(key, { after, before }) {
      assertOpen()
      return requireSession(key).checksums.slice(Math.max(after, 0), Math.max(before - 1, 0))
    },

    async active(query) {
      assertOpen()
      return cloneJson(findActive(data, query))
    },

    async list(query) {
      assertOpen()
      return selectRecords(records(data), query)
    },

    async descendants(key) {
      assertOpen()
      return descendantsOf(data, requireSession(key).view.record)
    },

    async labelled(query) {
      assertOpen()
      return labelledIds(data, query)
    },

    async usage(query) {
      assertOpen()
      return sumUsage(sessions.values(), query)
    },

    async usageRows(key, query) {
      assertOpen()
      return selectUsage(requireSession(key), query)
    },

    async storage(query) {
      assertOpen()
      return sumStorage(data, query)
    },

    async logSize(key) {
      assertOpen()
      const { view, bytes } = requireSession(key)
      return { head: view.record.head, bytes }
    },

    async sessionIds({ after, limit, within }) {
      assertOpen()
      const ids = records(data, within).map(({ id }) => id)
      return ids
        .filter((id) => after === undefined || id > after)
        .sort()
        .slice(0, limit)
    },

    async totals(within) {
      assertOpen()
      const heads = records(data, within).map(({ head }) => head)
      return { sessions: heads.length, events: heads.reduce((sum, head) => sum + head, 0) }
    },

    async purge(key, at) {
      assertOpen()
      return removeSession(data, requireSession(key), at)
    },

    async repair(key, expectedHead, view, edges, usage = [], bytes?: number) {
      assertOpen()
      const session = requireSession(key)
      if (session.view.record.head !== expectedHead) return false
      const { record, leaseUntil } = session.view
      replaceView(session, withStoredLease(view, defined({ generation: record.run?.generation, leaseUntil })), true)
      session.edges = edgeMap(cloneJson(edges))
      changeUsage(session, { cleared: true, rows: usage })
      session.derived.clear()
      if (bytes !== undefined) session.bytes = bytes
      if (isPositionFree(commitChains, view)) addLink(commitChains, view, view.record.lastActivityAt)
      return true
    },

    async edges(key, query) {
      assertOpen()
      const { edges, derived } = requireSession(key)
      const more = derived.get(query.tools ?? '')?.edges.values() ?? []
      return selectEdges([...edges.values(), ...more], query)
    },

    async workMark(key, tools) {
      assertOpen()
      const { view, derived } = requireSession(key)
      const { at = 0, state = '' } = derived.get(tools) ?? {}
      return { head: view.record.head, at, state }
    },

    async deriveWork({ tools, from, to, state, edges, ...key }) {
      assertOpen()
      const { view, derived } = requireSession(key)
      const known = derived.get(tools)
      if ((known?.at ?? 0) !== from || to > view.record.head) return false
      const kept = known?.edges ?? new Map()
      for (const edge of cloneJson(edges)) addEdge(kept, edge)
      derived.set(tools, { at: to, state, edges: kept })
      return true
    },

    async commits(query) {
      assertOpen()
      return selectLinks(commitChains, query)
    },

    async pausedSince() {
      assertOpen()
      return data.pausedSince
    },

    async pause(since) {
      assertOpen()
      if (since === undefined) delete data.pausedSince
      else data.pausedSince ??= since
    },

    async secret(candidate) {
      assertOpen()
      data.secret ??= candidate
      return data.secret
    },

    async renew({ generation, at, until, ...key }) {
      assertOpen()
      const session = requireSession(key)
      const { view } = session
      if (view.record.run?.generation !== generation || !isRunLive(view, at)) return false
      if (until > (view.leaseUntil ?? '')) view.leaseUntil = until
      session.dueAt = dueAt(view)
      return true
    },

    async claimable(query) {
      assertOpen()
      return selectClaimable([...sessions.values()], query)
    },

    async asking(query) {
      assertOpen()
      return selectAsking([...sessions.values()], query)
    },

    async due(query) {
      assertOpen()
      const views = Array.from(sessions.values(), ({ view }) => view)
      return selectDue(
        views.filter(({ record }) => isWithin(record, query.within)),
        query,
      )
    },

    watch(sessionId, callback) {
      assertOpen()
      const group = watchers.get(sessionId) ?? new Set()
      watchers.set(sessionId, group.add(callback))
      return () => {
        group.delete(callback)
        if (group.size === 0) watchers.delete(sessionId)
      }
    },

    async erase() {
      assertOpen()
      return true
    },

    async health() {
      assertOpen()
      return { details: {} }
    },

    async close() {
      closed = true
    },
  }
}
