import openDatabase from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { type Difference, open, type Session, type Throughline } from '../../src/index.ts'
import { fixedClock } from '../../src/stores/conformance/samples.ts'
import { amount, firstInShortRun, isProving, printFigure, withDatabaseFile } from '../proof.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { ALTERATIONS, type Dialect, LOG, TEXTS } from './alterations.ts'

interface Place {
  open(): Promise<Throughline>
  dialect: Dialect
  /** Runs statements as the owner of the database, past all triggers. */
  alter(statements: readonly string[]): Promise<void>
}

const TRIGGERS = ['session_events_no_update', 'session_events_no_delete', 'session_envelopes_updated_at']

async function onSqlite(work: (place: Place) => Promise<void>): Promise<void> {
  await withDatabaseFile((path) =>
    work({
      open: () => open({ url: `sqlite:${path}`, durability: 'relaxed', clock: fixedClock(), index: false }),
      dialect: { table: (name) => name, bytes: (hex) => `x'${hex}'` },
      async alter(statements) {
        const db = openDatabase(path)
        for (const trigger of TRIGGERS) db.exec(`drop trigger ${trigger}`)
        db.exec(`begin; ${statements.join(';\n')}; commit`)
        db.close()
      },
    }),
  )
}

const onPostgres = (url: string) => async (work: (place: Place) => Promise<void>) => {
  const databases = await databasesOf(url)
  const database = await databases.create()
  try {
    await work({
      open: () => open({ url: database.url(SERVING), clock: fixedClock(), index: false }),
      dialect: { table: (name) => `context.${name}`, bytes: (hex) => `'\\x${hex}'` },
      alter: async (statements) => {
        await database.admin(`set session_replication_role = replica; ${statements.join(';\n')}`)
      },
    })
  } finally {
    await database.destroy()
    await databases.close()
  }
}

/** Makes a session with the log of {@link LOG}. */
async function makeSession(tl: Throughline, isEnded: boolean): Promise<Session> {
  const session = await tl.sessions.create({ userId: 'ada', task: 'Make tea', metadata: { topic: 'tea' } })
  await session.append([
    { type: 'user_message', content: TEXTS[2] },
    { type: 'model_message', content: TEXTS[3], agentId: 'cook' },
    { type: 'tool_call', parts: { id: 'c1', name: 'boil', arguments: { liters: 1 } }, agentId: 'cook' },
    { type: 'tool_result', content: 'It boils', parts: { toolCallId: 'c1' } },
    { type: 'user_message', content: TEXTS[6], occurredAt: '2026-03-01T13:00+01:00' },
  ])
  await session.updateState({ topic: 'tea' })
  await session.observe.fileWrite({ path: 'tea.md' })
  await session.flushStep()
  await session.append({ type: 'model_message', content: TEXTS[9] })
  if (isEnded) {
    await session.end()
    await session.compact()
  }
  expect((await session.record()).head).toBe(isEnded ? LOG.commit : LOG.last)
  return session
}

/** A difference in the short form of {@link ALTERATIONS}. */
function shown({ field, sequence, expected }: Difference): string {
  if (field === 'log') return `log ${expected}`
  return sequence === undefined ? field : `${field} ${sequence}`
}

const servers = firstInShortRun(inject('postgres')).map(({ name, url }) => ({ name, run: onPostgres(url) }))

describe.each([{ name: 'sqlite', run: onSqlite }, ...servers])('on $name', ({ name, run }) => {
  it('verify names each alteration by hand and nothing else', { timeout: 300_000 }, async () => {
    const count = amount(ALTERATIONS.length, 200)
    const choices = fc.array(fc.nat(), { minLength: count, maxLength: count })
    const check = async (picks: readonly number[]) => {
      await run(async ({ open, dialect, alter }) => {
        const tl = await open()
        const sound = [await makeSession(tl, false), await makeSession(tl, true)]
        const altered: { id: string; title: string; found: string[] }[] = []
        const statements: string[] = []
        for (const [i, pick] of picks.entries()) {
          const { title, isEnded = false, make } = ALTERATIONS[i % ALTERATIONS.length] as (typeof ALTERATIONS)[number]
          const { id } = await makeSession(tl, isEnded)
          const { sql, found } = make({ id, dialect, pick: (list) => list[pick % list.length] as never })
          statements.push(...sql)
          altered.push({ id, title, found })
        }
        expect((await tl.verify()).differences).toEqual([])
        await tl.close()
        await alter(statements)

        const again = await open()
        const named = async () =>
          Map.groupBy((await again.verify()).differences, ({ sessionId }) => sessionId) as Map<string, Difference[]>
        const before = await named()
        for (const { id, title, found } of altered) {
          const difference = (before.get(id) ?? []).map(shown)
          expect({ title, found: difference.sort() }).toEqual({ title, found: found.toSorted() })
        }
        expect(before.size).toBe(count)
        for (const { id } of sound) expect(before.get(id)).toBeUndefined()

        // a rebuild repairs the views, and hides nothing of a log
        await again.rebuild()
        const after = await named()
        for (const { id, title, found } of altered) {
          const isOfLog = found.some((one) => one.startsWith('log'))
          expect({ title, left: after.get(id) }).toEqual({ title, left: isOfLog ? before.get(id) : undefined })
        }
        await again.close()
      })
    }
    await fc.assert(fc.asyncProperty(choices, check), { numRuns: 1, endOnFailure: true })
    if (isProving) printFigure(`${name}: verify named all of ${count} alterations by hand and nothing else`)
  })
})
