import { describe, expect, it } from 'vitest'
import { isStreamed, jsonPieces } from './json-stream.ts'

async function piecesOf(response: object): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of jsonPieces(response, () => {})) pieces.push(piece)
  return pieces
}

async function* batches(...lists: unknown[][]) {
  yield* lists
}

describe('a response in pieces', () => {
  it.each([
    [{}],
    [{ a: undefined }],
    [{ a: undefined, b: 'x', items: [] }],
    [{ items: [1, 'two', { three: [3] }, null], nextCursor: 'c' }],
    [{ before: { list: [[]] }, items: [[1]], after: [] }],
  ])('is the text that JSON.stringify makes of %j, at once if it is small', async (response) => {
    expect(await piecesOf(response)).toEqual([JSON.stringify(response)])
  })

  it('keeps -0', async () => {
    expect(await piecesOf({ a: -0, items: [-0] })).toEqual(['{"a":-0,"items":[-0]}'])
  })

  it('is divided between items, and never holds two large ones', async () => {
    const item = 'x'.repeat(300_000)
    const pieces = await piecesOf({ items: Array(5).fill(item), more: [item] })
    expect(pieces.map(({ length }) => Math.round(length / 300_000))).toEqual([2, 2, 2, 0])
    expect(JSON.parse(pieces.join(''))).toEqual({ items: Array(5).fill(item), more: [item] })
  })

  it.each([{ text: 'x'.repeat(600_000) }, { items: ['x'.repeat(600_000)] }])(
    'leaves the turn in which it makes a large piece',
    async (response) => {
      const order: string[] = []
      setImmediate(() => order.push('other work'))
      await jsonPieces(response, () => {}).next()
      expect(order).toEqual(['other work'])
    },
  )

  it('reads a list that comes in batches as it is sent, and shows each batch before', async () => {
    const large = 'x'.repeat(600_000)
    const seen: unknown[] = []
    const read: number[] = []
    async function* items() {
      for (const n of [1, 2]) {
        read.push(n)
        yield [{ n, large }]
      }
    }
    const pieces = jsonPieces({ items: items(), end: true }, (key, list) => seen.push([key, list.length]))
    const first = await pieces.next()
    expect(read).toEqual([1])
    const rest = [(await pieces.next()).value, (await pieces.next()).value]
    expect(JSON.parse([first.value, ...rest].join(''))).toEqual({
      items: [
        { n: 1, large },
        { n: 2, large },
      ],
      end: true,
    })
    expect(seen).toEqual([
      ['items', 1],
      ['items', 1],
    ])
    expect((await pieces.next()).done).toBe(true)
  })

  it('may have empty batches', async () => {
    expect(await piecesOf({ items: batches() })).toEqual(['{"items":[]}'])
    expect(await piecesOf({ items: batches([], [1], [], [2]) })).toEqual(['{"items":[1,2]}'])
  })

  it('fails where its list fails', async () => {
    async function* failing() {
      yield [1]
      throw new Error('GONE')
    }
    await expect(piecesOf({ items: failing() })).rejects.toThrow('GONE')
  })
})

it('a response is streamed if a list comes in batches', () => {
  expect([{ items: batches() }, { items: [1] }, {}, undefined, 'text'].map(isStreamed)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})
