import { expect, it } from 'vitest'
import type { StoredEdge } from '../../ports/session-store.ts'
import { EdgeCheck } from './check-edges.ts'

const edge = (sequence: number, n: number, evidence = '{}'): StoredEdge => {
  // the order of the stored edges is not that of the events
  return { from: `file:${(n * 7) % 10}`, label: 'imports', to: `file:${n}`, sequence, evidence }
}
const nameOf = ({ from, to, sequence }: StoredEdge) => `${from} ${to} ${sequence}`
const inOrder = (edges: readonly StoredEdge[]) => edges.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))

/** Nine events with three edges each. */
const EVENTS = Array.from({ length: 9 }, (_, i) => [0, 1, 2].map((n) => edge(i + 1, 3 * i + n)))

/** Checks the events against stored edges in pages of four. */
async function check(stored: readonly StoredEdge[], most: number | undefined, optionalFrom = 10, hasGrown = false) {
  const all = inOrder(stored)
  let pages = 0
  const readPage = async (after?: StoredEdge) => {
    pages++
    const start = after === undefined ? 0 : 1 + all.indexOf(after)
    return all.slice(start, start + 4)
  }
  const edges = new EdgeCheck('s', readPage, most)
  for (const [i, event] of EVENTS.entries()) {
    edges.add(event, i + 1 >= optionalFrom)
    await edges.endEvent(i + 1)
  }
  await edges.finish(10, async () => hasGrown)
  return { differences: edges.differences, pages }
}

/** The most edges in memory: an event at a time, some events at a time, all. */
const BOUNDS = [1, 4, 7, undefined]

it.each(BOUNDS)('finds the same differences with at most %s edges in memory', async (most) => {
  expect((await check(EVENTS.flat(), most)).differences).toEqual([])
  const [missing, changed] = [edge(2, 3), edge(5, 13)]
  const other = { ...changed, evidence: '{"other":true}' }
  const stray = [edge(0, 50), edge(3, 51), edge(9, 52), edge(99, 53)]
  const kept = EVENTS.flat().filter((one) => ![nameOf(missing), nameOf(changed)].includes(nameOf(one)))
  const { differences } = await check([...kept, other, ...stray], most)
  expect(differences).toHaveLength(6)
  expect(differences).toEqual(
    expect.arrayContaining([
      { sessionId: 's', field: 'edges', expected: missing },
      { sessionId: 's', field: 'edges', expected: changed, actual: other },
      ...stray.map((actual) => ({ sessionId: 's', field: 'edges', actual })),
    ]),
  )
  const grown = await check([...kept, other, ...stray], most, 10, true)
  expect(grown.differences.map(({ actual }) => actual)).not.toContainEqual(edge(99, 53))
  expect(grown.differences).toHaveLength(5)
})

it.each(BOUNDS)('takes optional edges or none, but no others, with at most %s in memory', async (most) => {
  const required = EVENTS.slice(0, 5).flat()
  for (const stored of [required, [...required, edge(6, 15), edge(9, 24)], EVENTS.flat()]) {
    expect((await check(stored, most, 6)).differences).toEqual([])
  }
  const changed = edge(6, 15, '{"other":true}')
  expect((await check([...required, changed], most, 6)).differences).toEqual([
    { sessionId: 's', field: 'edges', actual: changed },
  ])
})

it('reads the stored edges once for each part of the log', async () => {
  const pages = async (most?: number) => (await check(EVENTS.flat(), most)).pages
  expect(await pages(9)).toBe(4 * (await pages()))
})
