import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { someOf } from '../../../test/proof.ts'
import { type Databases, databasesOf, OWNER, SERVING, type TestDatabase } from '../../../test/servers/database.ts'
import { evolve, type SessionView } from '../../domain/fold.ts'
import { uuid7 } from '../../ids.ts'
import type { NewEvent } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { changing, foldedIn, loadedIn } from '../conformance/envelope-samples.ts'
import { createdIn, creation, logOf, NOON, seconds, someEvent } from '../conformance/samples.ts'
import { postgresStore } from './index.ts'
import { CREATE, createValues } from './sessions.ts'

/** The last version of the schema without envelopes. */
const BEFORE = 7

const text = (value: unknown) => `'${String(value).replaceAll("'", "''")}'`

describe.each(someOf(inject('postgres')))('on $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  let store: Store | undefined
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())
  afterEach(async () => {
    await store?.close()
    store = undefined
    await database.destroy()
  })

  async function serving(): Promise<Store> {
    store = await postgresStore({ url: database.url(SERVING), migrate: false })
    return store
  }

  describe('updated_at', () => {
    let sessionId: string
    beforeEach(async () => {
      database = await databases.create()
      sessionId = await createdIn(await serving())
    })

    const byHand = async (change: string, as = '') => {
      const sql = `update context.session_envelopes set ${change} returning updated_at, updated_at = now() as touched`
      return (await database.admin(`${as} ${sql}`))[0]
    }

    it('is moved by a statement by hand, whoever sends it', async () => {
      const owner = `set role ${OWNER}; select set_config('throughline.tenant', '*', false);`
      expect(await byHand("persona_id = 'hand'")).toMatchObject({ touched: true })
      expect(await byHand("analysis = '{}'", owner)).toMatchObject({ touched: true })
      expect(await byHand(`updated_at = '${seconds(9)}'`)).toEqual({ touched: false, updated_at: new Date(seconds(9)) })
    })

    it('is what a decision or a repair says, also when their clock stands still', async () => {
      const store = await serving()
      await store.decide(changing(sessionId, { personaId: 'barista' }, NOON))
      const view = await loadedIn(store, { sessionId })
      expect(view.envelope?.document).toMatchObject({ persona_id: 'barista', timestamps: { updated_at: NOON } })
      await store.repair({ sessionId }, view.record.head, view, [])
      expect(await loadedIn(store, { sessionId })).toEqual(view)
      await store.decide(changing(sessionId, { personaId: 'other' }, seconds(5)))
      expect((await loadedIn(store, { sessionId })).envelope?.document.timestamps.updated_at).toBe(seconds(5))
    })
  })

  it('a pause waits for the sessions that are being made', async () => {
    database = await databases.create()
    const store = await serving()
    const maker = new pg.Client(database.url(SERVING))
    await maker.connect()
    await maker.query('begin')
    await maker.query(CREATE.text, createValues(creation()))
    let isPaused = false
    const paused = store.pause(NOON).then(() => {
      isPaused = true
    })
    const isWaiting = async () => (await database.admin(WAITING)).length > 0
    while (!isPaused && !(await isWaiting()));
    const waited = !isPaused
    await maker.query('commit')
    await maker.end()
    await paused
    expect(waited).toBe(true)
    expect(await store.totals(undefined)).toMatchObject({ sessions: 1 })
    expect(await store.pausedSince()).toBe(NOON)
  })

  it('a session that began elsewhere keeps when, in its log and in its envelope', async () => {
    database = await databases.create()
    const store = await serving()
    const { event, view, ...request } = creation()
    const occurredAt = '2019-05-04T03:02:01.234Z'
    const [envelope, sessionId] = [view.envelope, view.record.id]
    if (envelope === undefined) throw new Error('no envelope')
    const document = { ...envelope.document, timestamps: { created_at: occurredAt, updated_at: NOON } }
    await store.create({ ...request, event: { ...event, occurredAt }, view: { ...view, envelope: { document } } })
    expect((await logOf(store, sessionId))[0]).toMatchObject({ occurredAt, createdAt: NOON })
    expect((await loadedIn(store, { sessionId })).envelope).toEqual({ document })
    expect(await loadedIn(store, { sessionId })).toEqual(await foldedIn(store, sessionId))
  })

  describe('a database of the version before', () => {
    const files = readdirSync(new URL('./migrations/', import.meta.url))
      .sort()
      .slice(0, BEFORE)

    beforeEach(async () => {
      database = await databases.create('bare')
      const asOwner = (sql: string) => database.admin(`set role ${OWNER}; ${sql}`)
      await asOwner(`
        create schema context;
        create table context.throughline_migrations (
          version integer not null primary key, name text not null, applied_at timestamptz not null default now()
        )`)
      for (const [i, file] of files.entries()) {
        const sql = readFileSync(new URL(`./migrations/${file}`, import.meta.url), 'utf8')
        await asOwner(`${sql}; insert into context.throughline_migrations (version, name) values (${i + 1}, '${file}')`)
      }
    })

    it('comes to have an envelope for each session, its forks among them', async () => {
      const metadata = { topic: 'a "tea"', z: 1, a: [1.5] }
      const { event, view } = creation({ tenant: 'acme', metadata })
      const { id } = view.record
      await database.admin(`select context.create_session('${id}', 'none', '${NOON}', ${old(view)}, ${columns(event)})`)
      await database.admin(APPEND(id))

      const parts = {
        from: { sessionId: id, sequence: 2 },
        conversationId: uuid7(),
        chatmode: 'default',
        metadata: { own: 1 },
      }
      const forked = { ...someEvent('forked', 'session_forked'), role: 'system', parts: JSON.stringify(parts) }
      const source: SessionView = { ...view, record: { ...view.record, head: 2, turns: 1 } }
      const placed = { type: 'session_forked', role: 'system', sessionId: uuid7(), sequence: 3 } as const
      const fork = evolve(source, { ...forked, ...placed, createdAt: seconds(60), parts })
      await database.admin(`
        select context.fork_session('${id}', null, null, 2, '${placed.sessionId}', '${seconds(60)}', ${old(fork)},
          ${columns(forked)})`)

      await (await postgresStore({ url: database.url(OWNER), migrate: true })).close()
      const store = await serving()
      const ids = [id, placed.sessionId]
      const views = await Promise.all(ids.map((sessionId) => loadedIn(store, { sessionId })))
      expect(views).toEqual(await Promise.all(ids.map((sessionId) => foldedIn(store, sessionId))))
      expect(views.map(({ envelopeAt, record }) => [envelopeAt, record.head])).toEqual([
        [1, 3],
        [3, 3],
      ])
      expect(views[0]?.envelope?.document).toMatchObject({ tenant: 'acme', subject: 'ada', persona_id: '', metadata })
      expect(JSON.stringify(views[0]?.envelope?.document.metadata)).toBe(JSON.stringify(metadata))
      expect(views[1]?.envelope?.document).toMatchObject({ metadata: { own: 1 } })
      expect(await store.envelopes.page({ limit: 9 })).toHaveLength(2)
      await store.decide(changing(id, { personaId: 'barista' }))
      expect(await loadedIn(store, { sessionId: id })).toEqual(await foldedIn(store, id))
    })
  })
})

/** The view as it was written then. */
function old({ envelope: _, envelopeAt: __, record, state, ...rest }: SessionView): string {
  return text(JSON.stringify({ ...record, ...state, ...rest }))
}

function columns({ id, type, role, content, parts }: NewEvent): string {
  return [id, type, role, content, parts].map(text).join(', ')
}

/** Whoever waits in this database for a lock of ours. */
const WAITING = `
  select 1 from pg_locks l join pg_database d on d.oid = l.database
  where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`

/** Two messages, appended by the function, which has not changed since. */
const APPEND = (id: string) => `
  select context.append_events(array['${id}']::uuid[], array[null]::text[], array[null]::text[], array[2], array[2],
    array['${NOON}']::timestamptz[], array[null]::text[], array[null]::text[], array[null]::integer[], array[1, 1],
    array[1, 2], array[gen_random_uuid(), gen_random_uuid()], array['user_message', 'user_message'],
    array['user', 'user'], array['a', 'b'], array[null, null]::json[], array[null, null]::text[],
    array[null, null]::text[])`
