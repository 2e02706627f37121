import { expect, it } from 'vitest'
import type { ExportedEvent, SessionBlock } from '../../api.ts'
import { type BlockOutcome, importAll } from './batches.ts'

const MB = 1024 * 1024

const eventsOf = (count: number, content = 'x'): ExportedEvent[] =>
  Array.from({ length: count }, (_, i) => ({ sequence: i + 1, content }) as ExportedEvent)

const blockOf = (sessionId: string, count: number, done = true, content?: string): SessionBlock => ({
  sessionId,
  events: eventsOf(count, content),
  done,
})

/** Takes batches and lets each end when it is told to. */
function taker() {
  const batches: { blocks: readonly SessionBlock[]; end(error?: Error): Promise<void> }[] = []
  const send = (blocks: readonly SessionBlock[]) =>
    new Promise<BlockOutcome[]>((resolve, reject) => {
      const outcomes = blocks.map(({ sessionId, events, done }) => {
        const counts = { sessionId, events: events.length, written: events.length }
        return done ? { ...counts, became: 'created' as const } : counts
      })
      const end = async (error?: Error) => {
        if (error === undefined) resolve(outcomes)
        else reject(error)
        await settle()
      }
      batches.push({ blocks, end })
    })
  return { batches, send, sizes: () => batches.map(({ blocks }) => blocks.map(({ events }) => events.length)) }
}

/** Lets all go on that can. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

const at = async (send: ReturnType<typeof taker>, blocks: readonly SessionBlock[]) => {
  const report = importAll(send.send, blocks)
  for (let i = 0; ; i++) {
    await settle()
    const next = send.batches[i]
    if (next === undefined) return await report
    await next.end()
  }
}

it('gathers blocks up to 500 events, 4 MiB or 100 blocks, and cuts those that are larger', async () => {
  const small = taker()
  expect(
    await at(
      small,
      Array.from({ length: 120 }, (_, i) => blockOf(`s${i}`, 2)),
    ),
  ).toMatchObject({ sessions: 120, events: 240 })
  expect(small.sizes().map(({ length }) => length)).toEqual([100, 20])
  const many = taker()
  await at(many, [blockOf('a', 300), blockOf('b', 200), blockOf('c', 1), blockOf('d', 1100)])
  expect(many.sizes()).toEqual([[300, 200], [1], [500], [500], [100]])
  expect(many.batches.flatMap(({ blocks }) => blocks.map(({ done }) => done))).toEqual([
    true,
    true,
    true,
    false,
    false,
    true,
  ])
  const large = taker()
  await at(large, [
    blockOf('a', 3, true, 'x'.repeat(1.5 * MB)),
    blockOf('b', 1, true, 'x'.repeat(6 * MB)),
    blockOf('c', 1),
  ])
  expect(large.sizes()).toEqual([[2], [1], [1], [1]])
})

it('cuts blocks with many members, so that no body has too many', async () => {
  const wide = taker()
  const parts = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`name${i}`, [1, 2, 3]]))
  const events = eventsOf(5).map((event) => ({ ...event, parts }))
  await at(wide, [{ sessionId: 'a', events, done: true }])
  expect(wide.sizes()).toEqual([[1], [1], [1], [1], [1]])
})

it('has two batches on their way at most, and of one session never more than one', async () => {
  const { batches, send } = taker()
  const blocks = [blockOf('a', 500), blockOf('b', 500), blockOf('c', 500, false), blockOf('c', 500), blockOf('d', 500)]
  const report = importAll(send, blocks)
  const sent = async () => {
    await settle()
    return batches.map(({ blocks: [first] }) => first?.sessionId).join(' ')
  }
  expect(await sent()).toBe('a b')
  await batches[0]?.end()
  expect(await sent()).toBe('a b c')
  await batches[1]?.end()
  // the rest of c waits for its beginning
  expect(await sent()).toBe('a b c')
  await batches[2]?.end()
  expect(await sent()).toBe('a b c c d')
  await batches[4]?.end()
  await batches[3]?.end()
  expect(await report).toMatchObject({ sessions: 4, created: 4, events: 2500, refused: [] })
})

it('counts a session that is refused once, and sends no more of it', async () => {
  const sent: string[][] = []
  const told: unknown[] = []
  const send = async (blocks: readonly SessionBlock[]): Promise<BlockOutcome[]> => {
    sent.push(blocks.map(({ sessionId }) => sessionId))
    return blocks.map(({ sessionId, events, done }) => {
      if (sessionId === 'bad') return { sessionId, code: 'VALIDATION', message: 'is wrong' }
      return { sessionId, events: events.length, written: 0, ...(done && { became: 'unchanged' as const }) }
    })
  }
  async function* blocks() {
    yield blockOf('bad', 499, false)
    yield blockOf('good', 2)
    await settle()
    yield blockOf('bad', 500, false)
    await settle()
    yield blockOf('bad', 500)
    yield blockOf('good2', 3)
  }
  const report = await importAll(send, blocks(), { onProgress: (progress) => told.push(progress) })
  expect(report).toEqual({
    sessions: 2,
    created: 0,
    extended: 0,
    unchanged: 2,
    events: 0,
    refused: [{ sessionId: 'bad', code: 'VALIDATION', message: 'is wrong' }],
  })
  expect(sent).toEqual([['bad'], ['good', 'good2']])
  expect(told).toEqual([
    { sessions: 0, events: 0 },
    { sessions: 2, events: 5 },
  ])
})

it('refuses what is no block by its place, and sends the others', async () => {
  const { batches, send } = taker()
  const circle: unknown[] = []
  circle.push(circle)
  const odd = { ...blockOf('odd', 1), events: [{ content: 7, parts: circle }, null, { parts: 1n }] }
  const blocks = [blockOf('a', 1), null, blockOf('b', 1), 7, { sessionId: 'c' }, { events: [], done: true }, odd]
  const report = importAll(send, blocks as never)
  await settle()
  await batches[0]?.end()
  const refused = ['1', '3', '4', '5'].map((at) => ({
    sessionId: at === '4' ? 'c' : '',
    code: 'VALIDATION',
    message: `blocks[${at}]: must be a block, { sessionId, events, done }`,
  }))
  expect(await report).toMatchObject({ sessions: 3, created: 3, refused })
  expect(batches.map((batch) => batch.blocks.map(({ sessionId }) => sessionId))).toEqual([['a', 'b', 'odd']])
  for (const none of [null, undefined, 7, {}]) {
    await expect(importAll(send, none as never)).rejects.toMatchObject({ code: 'VALIDATION', field: 'blocks' })
  }
})

it('sends what was whole when the blocks fail, and then says how they failed', async () => {
  const { batches, send } = taker()
  async function* blocks() {
    yield blockOf('a', 2)
    throw new Error('torn')
  }
  const report = importAll(send, blocks()).catch((error: unknown) => error)
  await settle()
  expect(batches).toHaveLength(1)
  await batches[0]?.end()
  expect(await report).toMatchObject({ message: 'torn' })
})

it('stops where a batch fails, takes no more blocks, and lets what is on its way come to its end', async () => {
  const { batches, send } = taker()
  let taken = 0
  function* blocks() {
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
      taken++
      yield blockOf(id, 500)
    }
  }
  let isOver = false
  const report = importAll(send, blocks()).catch((error: unknown) => {
    isOver = true
    return error
  })
  await settle()
  await batches[0]?.end(new Error('the disk is full'))
  expect([batches.length, isOver]).toEqual([2, false])
  await batches[1]?.end()
  expect(await report).toMatchObject({ message: 'the disk is full' })
  expect(batches).toHaveLength(2)
  expect(taken).toBeLessThan(6)
})
