import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EventInput, open, type Session, type Throughline, ThroughlineError } from '../../src/index.ts'
import { amount, withFile } from '../proof.ts'

const id = fc.constantFrom('1', '2', '3')
const content = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !text.includes('\0'))

/** Events of every kind, some of which are refused. */
const event: fc.Arbitrary<EventInput> = fc.oneof(
  fc.record({ type: fc.constantFrom('user_message', 'model_message', 'system_event', 'x.own'), content }),
  fc.record({ type: fc.constant('tool_call'), content, parts: fc.record({ id, name: content, arguments: content }) }),
  fc.record({ type: fc.constant('tool_result'), content: fc.string(), parts: fc.record({ toolCallId: id }) }),
) as fc.Arbitrary<EventInput>

type Step =
  | { do: 'append'; events: EventInput[]; key?: string; expected?: number }
  | { do: 'clear' | 'end' }
  | { do: 'fork'; at: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('append' as const), events: fc.array(event, { maxLength: 4 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      events: fc.array(event, { minLength: 1, maxLength: 2 }),
      key: fc.constantFrom('k1', 'k2'),
      expected: fc.nat(8),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'clear' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'end' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fork' as const), at: fc.nat(10) }) },
)

/** Does one step; what is refused must be refused on purpose. Gives the session to go on with. */
async function take(session: Session, { do: what, ...rest }: Step): Promise<Session> {
  try {
    if (what === 'clear') await session.clear()
    if (what === 'end') await session.end()
    if (what === 'fork') return await session.fork({ at: (rest as { at: number }).at })
    if (what === 'append') {
      const { events, key, expected } = rest as Extract<Step, { do: 'append' }>
      await session.append(events, {
        ...(key !== undefined && { idempotencyKey: key }),
        ...(expected !== undefined && { expectedSequence: expected }),
      })
    }
  } catch (error) {
    if (!(error instanceof ThroughlineError)) throw error
  }
  return session
}

const stores: [name: string, run: (work: (tl: Throughline) => Promise<void>) => Promise<void>][] = [
  ['memory', async (work) => await work(await open('memory:'))],
  [
    'sqlite',
    async (work) =>
      await withFile(async (path) => {
        const tl = await open({ url: `sqlite:${path}`, durability: 'relaxed' })
        await work(tl)
        await tl.close()
      }),
  ],
]

describe.each(stores)('on %s', (_, run) => {
  it('the stored views equal the fold of the log after any sequence of calls', async () => {
    await run(async (tl) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          let session = await tl.sessions.create({ userId: 'ada' })
          const all = [session]
          for (const next of steps) {
            const after = await take(session, next)
            if (after !== session) all.push(after)
            session = after
          }
          for (const { id: sessionId } of all) expect((await tl.verify(sessionId)).differences).toEqual([])
          const { head } = await session.record()
          const sequences = (await session.events({ limit: 500 })).map((each) => each.sequence)
          expect(sequences).toEqual(Array.from({ length: head }, (_each, i) => i + 1))
        }),
        { numRuns: amount(60, 1000) },
      )
    })
  })

  it('any JSON and any text come back as they were written', async () => {
    await run(async (tl) => {
      const session = await tl.sessions.create({ userId: 'ada' })
      const parts = fc.jsonValue({ maxDepth: 5 }).filter((value) => !JSON.stringify(value).includes('__proto__'))
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), parts, async (text, value) => {
          const clean = text.replaceAll('\0', ' ')
          if (JSON.stringify(value).includes('\\u0000')) return
          await session.append({ type: 'x.any', content: clean, parts: value as never })
          const [read] = await session.events({ order: 'desc', limit: 1 })
          expect(read?.content).toBe(clean)
          expect(read?.parts).toStrictEqual(value)
          expect(JSON.stringify(read?.parts)).toBe(JSON.stringify(value))
        }),
        { numRuns: amount(200, 3000) },
      )
    })
  })
})
