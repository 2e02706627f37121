import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { open, type Throughline } from '../../src/index.ts'
import { amount, withDatabaseFile } from '../proof.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { applyStep, step } from './steps.ts'

type Work = (tl: Throughline) => Promise<void>

const stores: { name: string; run(work: Work): Promise<void> }[] = [
  { name: 'memory', run: async (work) => await work(await open('memory:')) },
  {
    name: 'sqlite',
    run: async (work) =>
      await withDatabaseFile(async (path) => {
        const tl = await open({ url: `sqlite:${path}`, durability: 'relaxed' })
        await work(tl)
        await tl.close()
      }),
  },
  ...inject('postgres').map(({ name, url }) => ({
    name,
    async run(work: Work) {
      const databases = await databasesOf(url)
      const database = await databases.create()
      const tl = await open(database.url(SERVING))
      try {
        await work(tl)
      } finally {
        await tl.close()
        await database.destroy()
        await databases.close()
      }
    },
  })),
]

describe.each(stores)('on $name', ({ run }) => {
  it('the stored views equal the fold of the log after any sequence of calls', { timeout: 900_000 }, async () => {
    await run(async (tl) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          let session = await tl.sessions.create({ userId: 'ada' })
          const all = [session]
          for (const next of steps) {
            const after = await applyStep(session, next)
            if (after !== session) all.push(after)
            session = after
          }
          for (const { id: sessionId } of all) expect((await tl.verify(sessionId)).differences).toEqual([])
          const { head } = await session.record()
          const sequences = (await session.events({ limit: 500 })).map((each) => each.sequence)
          expect(sequences).toEqual(Array.from({ length: head }, (_each, i) => i + 1))
          expect((await session.at(head)).state).toEqual(await session.state())
          expect((await session.at(head)).envelope).toEqual(await session.envelope())
        }),
        { numRuns: amount(40, 1000) },
      )
    })
  })

  it('any JSON and any text are read back as written', { timeout: 900_000 }, async () => {
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
