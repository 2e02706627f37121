import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ExportedEvent, SessionBlock } from '../../api.ts'
import type { Json } from '../../domain/json.ts'
import { type ExportCheck, exportLines, importLines } from './lines.ts'

const ID = '01a1e3f5-9566-76fb-850c-dab67367cd3'
const AT = '2026-03-01T12:00:00.000Z'

const idOf = (n: number) => `${ID}${n}`

function eventOf(sequence: number, more: Partial<ExportedEvent> = {}): ExportedEvent {
  const type = sequence === 1 ? 'session_started' : 'user_message'
  const id = `00000000-0000-4000-8000-${String(sequence).padStart(12, '0')}`
  return { sequence, id, type, role: 'user', content: `message ${sequence}`, createdAt: AT, ...more }
}

/** Blocks of sessions with so many events each, cut into pieces of `size`. */
function blocksOf(counts: readonly number[], size = 500): SessionBlock[] {
  return counts.flatMap((count, n) =>
    Array.from({ length: Math.ceil(count / size) }, (_, i) => ({
      sessionId: idOf(n),
      events: Array.from({ length: Math.min(size, count - i * size) }, (_event, k) => eventOf(i * size + k + 1)),
      done: (i + 1) * size >= count,
    })),
  )
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

const textOf = (blocks: readonly SessionBlock[], from?: ExportCheck, session?: string) =>
  all(exportLines(blocks, { from, of: session }))
const kindsIn = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as { kind: string }).kind)

/** What was read before it failed, and how it failed. */
async function readUntil(lines: readonly string[]): Promise<{ blocks: SessionBlock[]; message: string }> {
  const blocks: SessionBlock[] = []
  try {
    for await (const block of importLines(lines)) blocks.push(block)
    return { blocks, message: '' }
  } catch (error) {
    expect(error).toMatchObject({ code: 'VALIDATION' })
    return { blocks, message: (error as Error).message }
  }
}

const merged = (blocks: readonly SessionBlock[]) =>
  Object.values(Object.groupBy(blocks, ({ sessionId }) => sessionId)).map((of = []) =>
    of.flatMap(({ events }) => events),
  )

describe('the text of an export', () => {
  it('is the same however the blocks were cut, with keys in a fixed order', async () => {
    const text = await textOf(blocksOf([3, 1200, 500, 1]))
    for (const size of [1, 7, 499, 1000, 5000]) expect(await textOf(blocksOf([3, 1200, 500, 1], size))).toEqual(text)
    const checks = text.filter((line) => line.startsWith('{"kind":"check"')).map((line) => JSON.parse(line))
    expect(
      checks.map(({ session, sequence, done, sessions, events }) => [session.at(-1), sequence, done, sessions, events]),
    ).toEqual([
      ['0', 3, true, 1, 3],
      ['1', 500, false, 1, 503],
      ['1', 1000, false, 1, 1003],
      ['1', 1200, true, 2, 1203],
      ['2', 500, true, 3, 1703],
      ['3', 1, true, 4, 1704],
    ])
    expect(text[0]).toBe('{"kind":"throughline-export","version":1}\n')
    expect(text[1]).toBe(`{"kind":"session","id":"${idOf(0)}"}\n`)
    expect(text.at(-1)).toBe(`{"kind":"total","sessions":4,"events":1704,"sum":"${checks.at(-1).total}"}\n`)
    const whole = eventOf(1, { parts: { b: -0, a: [1] }, agentId: 'coach', occurredAt: '2026' })
    const shuffled = Object.fromEntries(Object.entries(whole).toReversed()) as unknown as ExportedEvent
    const [, , line] = await textOf([{ sessionId: idOf(0), events: [shuffled], done: true }])
    expect(line).toBe(
      `{"kind":"event","sequence":1,"id":"${whole.id}","type":"session_started","role":"user","content":"message 1",` +
        `"parts":{"b":-0,"a":[1]},"agentId":"coach","occurredAt":"2026","createdAt":"${AT}"}\n`,
    )
  })

  it('closes a block of large events early', async () => {
    const events = Array.from({ length: 5 }, (_, i) => eventOf(i + 1, { content: 'ä'.repeat(1024 * 1024) }))
    const text = await textOf([{ sessionId: idOf(0), events, done: true }])
    expect(kindsIn(text).join(' ')).toBe(
      'throughline-export session event event check event event check event check total',
    )
  })

  it('reads back as it was, whatever is in it', async () => {
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
    const event = fc.record(
      { content: fc.string({ unit: 'grapheme' }), parts: json, agentId: fc.string({ minLength: 1 }) },
      { requiredKeys: ['content'] },
    )
    const sessions = fc.array(fc.array(event, { minLength: 1, maxLength: 8 }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(sessions, fc.integer({ min: 1, max: 4 }), async (given, size) => {
        const logs = given.map((events) => events.map((each, i) => eventOf(i + 1, each as Partial<ExportedEvent>)))
        const blocks = logs.flatMap((events, n) =>
          Array.from({ length: Math.ceil(events.length / size) }, (_, i) => ({
            sessionId: idOf(n),
            events: events.slice(i * size, (i + 1) * size),
            done: (i + 1) * size >= events.length,
          })),
        )
        const text = await textOf(blocks)
        expect(merged(await all(importLines(text)))).toEqual(logs)
        expect(await textOf(await all(importLines(text)))).toEqual(text)
        // what readers of lines make of it, which take other ends of lines than ours too
        const split = text.join('').split(/\r\n|[\n\r\u2028\u2029]/)
        expect(await textOf(await all(importLines(split)))).toEqual(text)
      }),
      {
        examples: [[[[{ content: 'a\u2028b\u2029\r\n', parts: ['\u2028', -0, 1e300] }]], 1]] as never,
      },
    )
  })

  it('goes on from each of its checks as if it had never stopped', async () => {
    const blocks = blocksOf([3, 1200, 2], 100)
    const text = await textOf(blocks)
    for (const [i, line] of text.entries()) {
      if (!line.startsWith('{"kind":"check"')) continue
      const { kind: _kind, ...check } = JSON.parse(line)
      const rest = blocks
        .filter(({ sessionId }) => sessionId > check.session || (sessionId === check.session && !check.done))
        .map((block) => ({
          ...block,
          events: block.events.filter(({ sequence }) => block.sessionId !== check.session || sequence > check.sequence),
        }))
        .filter(({ events }) => events.length > 0)
      expect([...text.slice(0, i + 1), ...(await textOf(rest, check))]).toEqual(text)
    }
  })

  it('of one session says which in its first line, and holds no other', async () => {
    const text = await textOf(blocksOf([3]), undefined, idOf(0).toUpperCase())
    expect(text[0]).toBe(`{"kind":"throughline-export","version":1,"session":"${idOf(0)}"}\n`)
    expect(text.slice(1)).toEqual((await textOf(blocksOf([3]))).slice(1))
    expect(await all(importLines(text))).toEqual(blocksOf([3]))
    expect(await all(importLines([...text, ...(await textOf(blocksOf([2, 2])))]))).toHaveLength(3)
    const two = [text[0] ?? '', ...(await textOf(blocksOf([3, 2]))).slice(1)]
    const { blocks, message } = await readUntil(two)
    expect(blocks).toHaveLength(1)
    expect(message).toContain(`line 7: is session ${idOf(1)}, and the first line says that the export is of`)
    await expect(textOf(blocksOf([3, 2]), undefined, idOf(0))).rejects.toMatchObject({ code: 'VALIDATION' })
    expect((await readUntil(text.with(0, text[0]?.replace(/"session":.*/, '"session":7}') ?? ''))).message).toContain(
      'line 1: is not the first line of an export',
    )
  })

  it('leaves a session that was purged on the way where it was', async () => {
    const [first, second] = [blocksOf([600], 300)[0] as SessionBlock, { ...blocksOf([2])[0], sessionId: idOf(1) }]
    const text = await textOf([first, second as SessionBlock])
    expect(
      kindsIn(text)
        .filter((kind) => kind !== 'event')
        .join(' '),
    ).toBe('throughline-export session check session check total')
    expect((await all(importLines(text))).map(({ done }) => done)).toEqual([false, true])
    expect(JSON.parse(text.at(-1) ?? '')).toMatchObject({ sessions: 1, events: 302 })
  })

  it('refuses blocks with a gap', async () => {
    const events = [eventOf(1), eventOf(3)]
    await expect(textOf([{ sessionId: idOf(0), events, done: true }])).rejects.toMatchObject({ code: 'VALIDATION' })
  })

  it('of nothing is two lines', async () => {
    const text = await textOf([])
    expect(text.slice(1)).toEqual(['{"kind":"total","sessions":0,"events":0,"sum":""}\n'])
    expect(await all(importLines([...text, ...text, ...(await textOf(blocksOf([2])))]))).toEqual(blocksOf([2]))
  })
})

describe('a damaged text', async () => {
  /**
   * Lines from 1: header 1, session 2, events 3–5, check 6, session 7, events 8–507, check 508, events 509–608, check
   * 609, session 610, event 611, check 612, total 613.
   */
  const text = await textOf(blocksOf([3, 600, 1]))
  const without = (...numbers: number[]) => text.filter((_, i) => !numbers.includes(i + 1))
  const changed = (number: number, change: (line: string) => string) =>
    text.map((line, i) => (i + 1 === number ? change(line) : line))

  it.each<[what: string, lines: readonly string[], blocks: number, message: string]>([
    [
      'a letter',
      changed(9, (line) => line.replace('message', 'massage')),
      1,
      'line 508: does not fit lines 7 to 507: one',
    ],
    [
      'a line that is missing',
      without(9),
      1,
      'line 507: does not fit lines 7 to 506: one of them was changed, is missing',
    ],
    ['the last event of a block missing', without(507), 1, 'line 507: does not fit'],
    [
      'two lines in each other’s place',
      changed(8, () => text[8] ?? '').with(8, text[7] ?? ''),
      1,
      'line 508: does not fit',
    ],
    ['a line twice', text.toSpliced(8, 0, text[8] ?? ''), 1, 'line 508: must be a check, which comes after 500 events'],
    ['another session named', changed(7, (line) => line.replace(idOf(1), idOf(2))), 1, 'line 508: does not fit'],
    ['a whole block missing', without(...Array.from({ length: 501 }, (_, i) => 8 + i)), 1, 'line 108: does not fit'],
    ['a whole session missing', without(2, 3, 4, 5, 6), 0, 'line 503: does not fit what is before'],
    ['the last session missing', without(610, 611, 612), 3, 'line 610: does not fit what is before'],
    ['a check missing', without(508), 1, 'line 508: must be a check'],
    ['the check of a session missing', without(6), 0, 'line 6: must be an event or a check'],
    ['a session line missing', without(7), 1, 'line 7: is an event, and no session has begun'],
    ['a check alone', without(3, 4, 5), 0, 'line 3: is a check with no event before it'],
    [
      'a check that says it is done',
      changed(508, (line) => line.replace('false', 'true')),
      1,
      'line 508: does not fit what is',
    ],
    ['words in the middle', changed(9, () => 'words\n'), 1, 'line 9: is not JSON. What came before it is whole'],
    ['another kind', changed(7, () => '{"kind":"memory"}\n'), 1, "line 7: is of the kind 'memory', where"],
    ['no kind', changed(7, () => '[]\n'), 1, 'line 7: is of no kind, where'],
    ['its beginning missing', without(1), 0, 'line 1: is not the first line of an export'],
    ['words behind its end', [...text, 'words'], 4, 'line 614: is not the first line of an export'],
    ['words alone', ['words'], 0, 'line 1: is not the first line of an export'],
    ['nothing in it', [], 0, 'lines: are empty'],
    ['a newer version', changed(1, (line) => line.replace('1}', '2}')), 0, 'line 1: starts an export of version 2'],
  ])('with %s is refused, after what is whole', async (_what, lines, blocks, message) => {
    const read = await readUntil(lines)
    expect(read.message).toContain(message)
    expect(read.blocks).toHaveLength(blocks)
  })

  it('is refused wherever it breaks off, after what is whole', async () => {
    const small = await textOf(blocksOf([3, 2]))
    const whole = small.join('')
    const ends = small.map((_, i) => small.slice(0, i + 1).join('').length)
    for (let length = 1; length < whole.length - 1; length++) {
      const lines = whole
        .slice(0, length)
        .split('\n')
        .filter((line) => line !== '')
      const { blocks, message } = await readUntil(lines)
      const checks = small.filter((line, i) => line.startsWith('{"kind":"check"') && (ends[i] ?? 0) <= length + 1)
      expect(blocks).toHaveLength(checks.length)
      expect(message).toMatch(
        length < (ends[0] ?? 0) - 1 ? /^line 1: is not the first line/ : /ends before the export is complete/,
      )
      if (length > 50) expect(message).toContain('`throughline export --resume`')
    }
  })

  it('that has one bit flipped anywhere is never taken for whole', async () => {
    const bytes = Buffer.from((await textOf(blocksOf([2, 1]))).join(''))
    for (let i = 0; i < bytes.length - 1; i++) {
      const flipped = Buffer.from(bytes)
      flipped[i] = (flipped[i] ?? 0) ^ 1
      const { message } = await readUntil(flipped.toString().split('\n'))
      expect(message, `byte ${i}`).not.toBe('')
    }
  })
})
