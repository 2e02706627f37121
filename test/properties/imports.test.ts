import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { uuid7 } from '../../src/ids.ts'
import { openOn } from '../../src/open/open.ts'
import type { Store } from '../../src/ports/store.ts'
import { blockOf, type ForeignSession } from '../../src/stores/conformance/import-samples.ts'
import { readChecksummedLog } from '../../src/stores/conformance/samples.ts'
import { memoryStore } from '../../src/stores/memory/index.ts'
import { postgresStore } from '../../src/stores/postgres/index.ts'
import { sqliteStore } from '../../src/stores/sqlite/index.ts'
import { amount, firstInShortRun, withDatabaseFile } from '../proof.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { applyStep, step } from './steps.ts'

type Place = (work: (store: Store) => Promise<void>) => Promise<void>

const memory: Place = async (work) => await work(memoryStore(uuid7))

const sqlite: Place = async (work) =>
  await withDatabaseFile(async (path) => {
    const store = await sqliteStore({ path, durability: 'relaxed', migrate: true, newId: uuid7 })
    await work(store)
    await store.close()
  })

function postgres(url: string): Place {
  return async (work) => {
    const databases = await databasesOf(url)
    const database = await databases.create()
    const store = await postgresStore({ url: database.url(SERVING), migrate: false })
    try {
      await work(store)
    } finally {
      await store.close()
      await database.destroy()
      await databases.close()
    }
  }
}

const ways: [name: string, from: Place, to: Place][] = [
  ['memory to sqlite', memory, sqlite],
  ['sqlite to memory', sqlite, memory],
  ...firstInShortRun(inject('postgres')).map(({ name, url }): [string, Place, Place] => [
    `memory to ${name}`,
    memory,
    postgres(url),
  ]),
]

/** Imports a session in blocks of these sizes, repeatedly; with `early` it exists before its last blocks arrive. */
async function bring(
  store: Store,
  life: ForeignSession,
  sizes: readonly number[],
  early: boolean,
  begins: number,
): Promise<void> {
  const end = life.events.length
  for (let [after, i] = [0, 0]; after < end; i++) {
    const head = Math.min(after + (sizes[i % sizes.length] ?? 1), end)
    await store.imports.write(blockOf(life, after, head, head === end || (early && head >= begins)))
    after = head
  }
}

/** All stored data of a session. */
async function shown(store: Store, sessionId: string): Promise<unknown> {
  const view = await store.load({ sessionId })
  const { tenant = '', conversationId = '' } = view?.record ?? {}
  return {
    view,
    log: await readChecksummedLog(store, sessionId),
    edges: await store.edges({ sessionId }, { limit: 100_000 }),
    commits: await store.commits({ tenant, conversationId, limit: 100 }),
    listed: await store.list({ tenant, conversationId, limit: 100 }),
  }
}

it.each(ways)('from %s any life comes in by blocks of any size as it is', { timeout: 900_000 }, async (_, from, to) => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })
  await from(async (source) => {
    const tl = openOn(source)
    await to(async (target) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), sizes, fc.boolean(), async (steps, some, early) => {
          let session = await tl.sessions.create({ userId: 'ada', metadata: { topic: 'tea' } })
          const ids = [session.id]
          for (const next of steps) {
            session = await applyStep(session, next)
            if (session.id !== ids.at(-1)) ids.push(session.id)
          }
          for (const sessionId of ids) {
            const life = { sessionId, events: await readChecksummedLog(source, sessionId) }
            const forked = (await source.load({ sessionId }))?.record.forkedFrom
            await bring(target, life, some, early, (forked?.sequence ?? 0) + 1)
            expect(await shown(target, sessionId)).toStrictEqual(await shown(source, sessionId))
          }
        }),
        { numRuns: amount(40, 1000) },
      )
      expect(await target.imports.unfinished({ limit: 1 })).toEqual([])
      expect(await target.totals(undefined)).toEqual(await source.totals(undefined))
    })
    await tl.close()
  })
})
