import { analyzeText } from '../../src/domain/recall/analyze.ts'
import type { Throughline } from '../../src/index.ts'
import type { IndexPartition } from '../../src/ports/recall-index.ts'
import type { Store } from '../../src/ports/store.ts'
import { readLog } from '../../src/stores/conformance/samples.ts'
import { USER } from './memory-faults-operations.ts'

const ALL = 10_000
const QUESTIONS = ['Where does Ada live? Lisbon?', 'tea or coffee', 'late ferries', 'tabs or spaces', 'rye and bread']

/** All stored data of the user, with memories named by their content, since ids differ in every run. */
export async function contentOf(store: Store, words: readonly string[]) {
  const listed = await store.memories.list({ ...USER, limit: ALL })
  const names = new Map(listed.map(({ id, content }) => [id, content]))
  const nameOf = (id: string) => names.get(id) ?? `nothing (${id})`
  const memories = await Promise.all(
    listed.map(async ({ id, supersededBy, ...memory }) => ({
      ...memory,
      ...(supersededBy !== undefined && { supersededBy: nameOf(supersededBy) }),
      history: (await store.memories.history(id, USER)).map(({ by, ...change }) => ({
        ...change,
        ...(by !== undefined && { by: nameOf(by) }),
      })),
    })),
  )
  const ids = await store.sessionIds({ limit: ALL, within: USER })
  const sessions = await Promise.all(
    ids.map(async (id) => ({
      mark: await store.index.mark(id),
      log: (await readLog(store, id)).map(({ sequence, type, content }) => [sequence, type, content]),
    })),
  )
  return {
    memories: memories.sort((a, b) => (a.content < b.content ? -1 : 1)),
    sessions,
    messageIndex: await indexContent(store, { ...USER, corpus: 'messages' }, words, (id) => id),
    memoryIndex: await indexContent(store, { ...USER, corpus: 'memories' }, words, nameOf),
    facts: await store.index.facts(USER, { places: [], sessions: ids, perSession: ALL }),
  }
}

export type Content = Awaited<ReturnType<typeof contentOf>>

async function indexContent(
  store: Store,
  partition: IndexPartition,
  words: readonly string[],
  nameOf: (id: string) => string,
) {
  const { frequencies, ...counts } = await store.index.lookup(partition, words)
  const postings = await store.index.postings(partition, words, ALL)
  return {
    counts,
    frequencies: [...frequencies].filter(([, messages]) => messages > 0).sort(byFirst),
    postings: postings
      .map(
        ({ term, session, block, data }) => `${term} ${nameOf(session)} ${block} ${Buffer.from(data).toString('hex')}`,
      )
      .sort(),
  }
}

const byFirst = ([a]: [string, number], [b]: [string, number]) => (a < b ? -1 : 1)

/** Words that the user's logs and memories may bring into the index. */
export async function wordsIn(store: Store): Promise<string[]> {
  const ids = await store.sessionIds({ limit: ALL, within: USER })
  const logs = await Promise.all(ids.map((id) => readLog(store, id)))
  const texts = [...logs.flat(), ...(await store.memories.list({ ...USER, limit: ALL }))].map(({ content }) => content)
  return [...new Set(texts.flatMap((text) => [...analyzeText(text).places.keys()]))].sort()
}

/** The words of the index are those of the memories that hold, each of them with its history. */
export function findInconsistencies({ memories, memoryIndex }: Content, hasNoIndex = false): string[] {
  const current = hasNoIndex ? [] : memories.filter(({ supersededBy }) => supersededBy === undefined)
  const expected = current.flatMap(({ content }) =>
    [...analyzeText(content).places.keys()].map((term) => `${term} ${content}`),
  )
  const found = memoryIndex.postings.map((posting) => posting.replace(/ \d+ [0-9a-f]+$/, ''))
  return [
    ...expected.filter((one) => !found.includes(one)).map((one) => `no words: ${one}`),
    ...found.filter((one) => !expected.includes(one)).map((one) => `words of nothing: ${one}`),
    ...(memoryIndex.counts.messages === current.length ? [] : [`${memoryIndex.counts.messages} counted`]),
    ...memories.filter(({ history }) => history.length === 0).map(({ content }) => `no history: ${content}`),
    ...memories.filter((one, i) => memories[i + 1]?.content === one.content).map(({ content }) => `twice: ${content}`),
  ]
}

/** What is found of it. The order of equal scores goes by ids, which are others in each run. */
export async function searchAll(tl: Throughline) {
  const { userId } = USER
  const lists = QUESTIONS.map(async (query) => {
    const [recalled, searched] = await Promise.all([
      tl.recall({ userId, query }),
      tl.memories.search({ userId, query, record: false }),
    ])
    const items = recalled.items.map(({ kind, sessionId, sequence, content, score }) => {
      return { kind, sessionId, sequence, content, score: score.toFixed(9) }
    })
    const memories = searched.items.map(({ content, score }) => ({ content, score: score.toFixed(9) }))
    return { query, items: inOrder(items), memories: inOrder(memories) }
  })
  return await Promise.all(lists)
}

function inOrder<Item extends { content: string; score: string }>(items: Item[]): Item[] {
  return items.toSorted((a, b) => Number(b.score) - Number(a.score) || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}
