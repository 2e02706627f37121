import type { FactsQuery, IndexedFacts, Mark, NewMessage, RecallIndex, User } from '../../ports/recall-index.ts'
import type { Held, MemoryData } from './data.ts'
import { byActivity } from './pick.ts'
import { blocksOf, copied, countWords, last, putWords, takeWords, type Words, wordsOf } from './words.ts'

/** The index of the data. */
export function indexIn(data: MemoryData, ready: () => void): RecallIndex {
  const { sessions, shelves } = data

  function owned(session: string, { tenant, userId }: User): Held | undefined {
    const found = sessions.get(session)
    const record = found?.view.record
    return record?.tenant === tenant && record.userId === userId ? found : undefined
  }

  return {
    async add({ sessionId, from, to, version, messages }) {
      ready()
      const session = sessions.get(sessionId)
      if (session === undefined || session.read.indexed !== from || session.view.record.head < to) return false
      const kept = messages.map((message) => ({ ...message, words: copied(message.words) }))
      putWords(wordsOf(shelves, { ...session.view.record, shelf: 'said' }), sessionId, kept)
      session.read = { ...session.read, indexed: to, turns: kept.at(-1)?.turn ?? session.read.turns, version }
      return true
    },

    async mark(sessionId) {
      ready()
      const session = sessions.get(sessionId)
      return session && markOf(session)
    },

    async marks({ tenant, userId }, version, newest = Number.POSITIVE_INFINITY) {
      ready()
      const own = [...sessions.values()].filter(
        ({ view: { record } }) => record.tenant === tenant && record.userId === userId,
      )
      own.sort((a, b) => byActivity(a.view.record, b.view.record))
      return own
        .slice(0, newest)
        .filter((session) => isLeft(session, version))
        .map(markOf)
    },

    async behind({ version, after = '', limit }) {
      ready()
      const left = [...sessions.values()].filter((session) => isLeft(session, version) || awaitsExtraction(session))
      return left
        .map(({ view }) => view.record.id)
        .filter((id) => id > after)
        .sort()
        .slice(0, limit)
    },

    async lookup(shelf, terms) {
      ready()
      return countWords(wordsOf(shelves, shelf), shelf.shelf, terms)
    },

    async postings(shelf, terms, limit) {
      ready()
      const words = wordsOf(shelves, shelf)
      return terms.flatMap((term) => blocksOf(words, term, limit))
    },

    async facts(user, query) {
      ready()
      return factsIn(wordsOf(shelves, { ...user, shelf: 'said' }), query)
    },

    async events(user, places) {
      ready()
      return places.flatMap(({ session, sequence }) => {
        const event = owned(session, user)?.events[sequence - 1]
        return event === undefined ? [] : [{ session, event: { ...event } }]
      })
    },

    async drop(sessionId) {
      ready()
      dropSession(data, sessionId)
    },
  }
}

/** Takes a session out of the index. What was extracted from it stays extracted. */
export function dropSession({ sessions, shelves }: MemoryData, sessionId: string): void {
  const session = sessions.get(sessionId)
  if (session === undefined) return
  takeWords(wordsOf(shelves, { ...session.view.record, shelf: 'said' }), sessionId)
  session.read = { ...session.read, indexed: 0, turns: 0, version: 0 }
}

function markOf({ view: { record }, read }: Held): Mark {
  const { id, tenant, userId, head, forkedFrom } = record
  return { sessionId: id, tenant, userId, head, ...read, copied: forkedFrom?.sequence ?? 0 }
}

function isLeft({ view, read }: Held, version: number): boolean {
  return view.record.head > read.indexed || read.version < version
}

function awaitsExtraction({ view, read }: Held): boolean {
  return view.record.endedAt !== undefined && view.record.head > read.extracted
}

type Said = readonly [session: string, message: NewMessage]

function factsIn({ messages }: Words, { places, sessions, perSession, span }: FactsQuery): IndexedFacts[] {
  const chosen = new Map<NewMessage, string>()
  for (const { session, turn } of places) {
    const message = messages.get(session)?.get(turn)
    if (message !== undefined) chosen.set(message, session)
  }
  for (const session of sessions) {
    for (const message of last([...(messages.get(session)?.values() ?? [])], perSession)) chosen.set(message, session)
  }
  if (span !== undefined) {
    const all = [...messages].flatMap(([session, turns]) =>
      Array.from(turns.values(), (message): Said => [session, message]),
    )
    const within = all.filter(([, { time }]) => time >= span.from && time < span.to)
    within.sort((a, b) => a[1].time - b[1].time || byPlace(a, b))
    for (const [session, message] of last(within, span.limit)) chosen.set(message, session)
  }
  return [...chosen]
    .map(([message, session]): Said => [session, message])
    .sort(byPlace)
    .map(factsOf)
}

function byPlace([a, { turn: x }]: Said, [b, { turn: y }]: Said): number {
  return a === b ? x - y : a < b ? -1 : 1
}

function factsOf([session, { words, ...message }]: Said): IndexedFacts {
  const { length, asked, specifics, times, counts } = words
  return { session, ...message, length, asked, specifics, times, counts }
}
