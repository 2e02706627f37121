import { sizeOf } from '../../domain/event-size.ts'
import { cloneJson } from '../../domain/json.ts'
import { takeUntilFull } from '../../domain/list-size.ts'
import { isWithin } from '../../domain/record.ts'
import type { FactsQuery, IndexedFacts, IndexMark, NewMessage, RecallIndex, UserKey } from '../../ports/recall-index.ts'
import type { MemoryData, StoredSession } from './data.ts'
import { compareActivity } from './select.ts'
import {
  addMessages,
  copyDescription,
  countTerms,
  lastItems,
  postingBlocks,
  removeMessages,
  type TermIndex,
  termIndexOf,
} from './term-index.ts'

/** The index of the data. */
export function recallIndex(data: MemoryData, assertOpen: () => void): RecallIndex {
  const { sessions, partitions } = data

  function findOwned(session: string, { tenant, userId }: UserKey): StoredSession | undefined {
    const found = sessions.get(session)
    const record = found?.view.record
    return record?.tenant === tenant && record.userId === userId ? found : undefined
  }

  return {
    async add({ sessionId, from, to, version, messages }) {
      assertOpen()
      const session = sessions.get(sessionId)
      if (session === undefined || session.progress.indexed !== from || session.view.record.head < to) return false
      const kept = messages.map((message) => ({ ...message, words: copyDescription(message.words) }))
      addMessages(termIndexOf(partitions, { ...session.view.record, corpus: 'messages' }), sessionId, kept)
      session.progress = {
        ...session.progress,
        indexed: to,
        turns: kept.at(-1)?.turn ?? session.progress.turns,
        version,
      }
      return true
    },

    async mark(sessionId) {
      assertOpen()
      const session = sessions.get(sessionId)
      return session && markOf(session)
    },

    async marks({ tenant, userId }, version, newest = Number.POSITIVE_INFINITY) {
      assertOpen()
      const own = [...sessions.values()].filter(
        ({ view: { record } }) => record.tenant === tenant && record.userId === userId,
      )
      own.sort((a, b) => compareActivity(a.view.record, b.view.record))
      return own
        .slice(0, newest)
        .filter((session) => isBehind(session, version))
        .map(markOf)
    },

    async behind({ version, after = '', limit, within }) {
      assertOpen()
      const left = [...sessions.values()].filter((session) => isBehind(session, version) || awaitsExtraction(session))
      return left
        .filter(({ view }) => isWithin(view.record, within))
        .map(({ view }) => view.record.id)
        .filter((id) => id > after)
        .sort()
        .slice(0, limit)
    },

    async lookup(partition, terms) {
      assertOpen()
      return countTerms(termIndexOf(partitions, partition), partition.corpus, terms)
    },

    async postings(partition, terms, limit) {
      assertOpen()
      const words = termIndexOf(partitions, partition)
      return terms.flatMap((term) => postingBlocks(words, term, limit))
    },

    async facts(user, query) {
      assertOpen()
      return findFacts(termIndexOf(partitions, { ...user, corpus: 'messages' }), query)
    },

    async events(user, places) {
      assertOpen()
      const found = places.flatMap(({ session, sequence }) => {
        const event = findOwned(session, user)?.events[sequence - 1]
        return event === undefined ? [] : [{ session, event: { ...event } }]
      })
      return takeUntilFull(
        found,
        (placed) => placed,
        ({ event }) => sizeOf(event),
      )
    },

    async hidden(user, ids) {
      assertOpen()
      return ids.flatMap((session) => {
        const hidden = findOwned(session, user)?.view.hidden
        return hidden === undefined ? [] : [{ session, hidden: cloneJson(hidden) }]
      })
    },

    async drop(sessionId) {
      assertOpen()
      dropSession(data, sessionId)
    },
  }
}

/** Removes a session from the index; the extraction progress stays. */
export function dropSession({ sessions, partitions }: MemoryData, sessionId: string): void {
  const session = sessions.get(sessionId)
  if (session === undefined) return
  removeMessages(termIndexOf(partitions, { ...session.view.record, corpus: 'messages' }), sessionId)
  session.progress = { ...session.progress, indexed: 0, turns: 0, version: 0 }
}

function markOf({ view: { record }, progress: read }: StoredSession): IndexMark {
  const { id, tenant, userId, head, forkedFrom } = record
  return { sessionId: id, tenant, userId, head, ...read, copied: forkedFrom?.sequence ?? 0 }
}

function isBehind({ view, progress: read }: StoredSession, version: number): boolean {
  return view.record.head > read.indexed || read.version < version
}

function awaitsExtraction({ view, progress: read }: StoredSession): boolean {
  return view.record.endedAt !== undefined && view.record.head > read.extracted
}

type IndexedMessage = readonly [session: string, message: NewMessage]

function findFacts({ messages }: TermIndex, { places, sessions, perSession, span }: FactsQuery): IndexedFacts[] {
  const chosen = new Map<NewMessage, string>()
  for (const { session, turn } of places) {
    const message = messages.get(session)?.get(turn)
    if (message !== undefined) chosen.set(message, session)
  }
  for (const session of sessions) {
    for (const message of lastItems([...(messages.get(session)?.values() ?? [])], perSession))
      chosen.set(message, session)
  }
  if (span !== undefined) {
    const all = [...messages].flatMap(([session, turns]) =>
      Array.from(turns.values(), (message): IndexedMessage => [session, message]),
    )
    const within = all.filter(([, { time }]) => time >= span.from && time < span.to)
    within.sort((a, b) => a[1].time - b[1].time || compareMessages(a, b))
    for (const [session, message] of lastItems(within, span.limit)) chosen.set(message, session)
  }
  return [...chosen]
    .map(([message, session]): IndexedMessage => [session, message])
    .sort(compareMessages)
    .map(factsOf)
}

function compareMessages([a, { turn: x }]: IndexedMessage, [b, { turn: y }]: IndexedMessage): number {
  return a === b ? x - y : a < b ? -1 : 1
}

function factsOf([session, { words, ...message }]: IndexedMessage): IndexedFacts {
  const { length, asked, specifics, times, counts } = words
  return { session, ...message, length, asked, specifics, times, counts }
}
