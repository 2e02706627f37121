import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { firstInShortRun } from '../../../test/proof.ts'
import { type Databases, databasesOf, OWNER, SERVING, type TestDatabase } from '../../../test/servers/database.ts'
import type { Store } from '../../ports/store.ts'
import { changeEnvelope, foldLog, loadView } from '../conformance/envelope-samples.ts'
import { createRequest, createSession, NOON, noonPlus, readLog } from '../conformance/samples.ts'
import { postgresStore } from './index.ts'
import { CREATE, createValues } from './sessions.ts'

const _text = (value: unknown) => `'${String(value).replaceAll("'", "''")}'`

describe.each(firstInShortRun(inject('postgres')))('on $name', ({ url }) => {
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
      sessionId = await createSession(await serving())
    })

    const byHand = async (change: string, as = '') => {
      const sql = `update context.session_envelopes set ${change} returning updated_at, updated_at = now() as touched`
      return (await database.admin(`${as} ${sql}`))[0]
    }

    it('advances with every manual update, by any role', async () => {
      const owner = `set role ${OWNER}; select set_config('throughline.tenant', '*', false);`
      expect(await byHand("persona_id = 'hand'")).toMatchObject({ touched: true })
      expect(await byHand("analysis = '{}'", owner)).toMatchObject({ touched: true })
      expect(await byHand(`updated_at = '${noonPlus(9)}'`)).toEqual({
        touched: false,
        updated_at: new Date(noonPlus(9)),
      })
    })

    it('has the time of a decision or a repair, even if it equals the last one', async () => {
      const store = await serving()
      await store.decide(changeEnvelope(sessionId, { personaId: 'barista' }, NOON))
      const view = await loadView(store, { sessionId })
      expect(view.envelope?.document).toMatchObject({ persona_id: 'barista', timestamps: { updated_at: NOON } })
      await store.repair({ sessionId }, view.record.head, view, [])
      expect(await loadView(store, { sessionId })).toEqual(view)
      await store.decide(changeEnvelope(sessionId, { personaId: 'other' }, noonPlus(5)))
      expect((await loadView(store, { sessionId })).envelope?.document.timestamps.updated_at).toBe(noonPlus(5))
    })
  })

  it('a pause waits for sessions that are being created', async () => {
    database = await databases.create()
    const store = await serving()
    const maker = new pg.Client(database.url(SERVING))
    await maker.connect()
    await maker.query('begin')
    await maker.query(CREATE.text, createValues(createRequest()))
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

  it('a session from another system keeps its start time in log and envelope', async () => {
    database = await databases.create()
    const store = await serving()
    const { event, view, ...request } = createRequest()
    const occurredAt = '2019-05-04T03:02:01.234Z'
    const [envelope, sessionId] = [view.envelope, view.record.id]
    if (envelope === undefined) throw new Error('no envelope')
    const document = { ...envelope.document, timestamps: { created_at: occurredAt, updated_at: NOON } }
    await store.create({ ...request, event: { ...event, occurredAt }, view: { ...view, envelope: { document } } })
    expect((await readLog(store, sessionId))[0]).toMatchObject({ occurredAt, createdAt: NOON })
    expect((await loadView(store, { sessionId })).envelope).toEqual({ document })
    expect(await loadView(store, { sessionId })).toEqual(await foldLog(store, sessionId))
  })
})

/** Calls in this database that wait for one of our locks. */
const WAITING = `
  select 1 from pg_locks l join pg_database d on d.oid = l.database
  where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`
