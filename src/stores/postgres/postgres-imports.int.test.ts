import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { amount, firstInShortRun } from '../../../test/proof.ts'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../../../test/servers/database.ts'
import type { Store } from '../../ports/store.ts'
import { loadView } from '../conformance/envelope-samples.ts'
import {
  blockOf,
  endSteps,
  expectedImport,
  type ForeignSession,
  foreignSession,
  importSession,
  readCommits,
  viewAfter,
  WORK,
  writeSession,
} from '../conformance/import-samples.ts'
import {
  ADA,
  advanceView,
  createRequest,
  createSession,
  NOON,
  readChecksummedLog,
  readLog,
  someEvent,
  upTo,
} from '../conformance/samples.ts'
import { type Connections, connect, type Query } from './connection.ts'
import { importCalls } from './imports.ts'
import { postgresStore } from './index.ts'
import { partitionsOf } from './partitions.ts'
import { sessionLocator } from './session-locator.ts'
import { sessionCalls } from './sessions.ts'

describe.each(firstInShortRun(inject('postgres')))('on $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  let store: Store
  let connections: Connections
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())
  beforeEach(async () => {
    database = await databases.recycled()
    store = await postgresStore({ url: database.url(SERVING), migrate: false })
    connections = await connect(database.url(SERVING))
  })
  afterEach(async () => {
    await store.close()
    await connections.close()
    await database.destroy()
  })

  /** Rows of all tables that contain the session's id. */
  async function rowsOf(sessionId: string): Promise<object[]> {
    const tables = await database.admin("select tablename as name from pg_tables where schemaname = 'context'")
    const rows = await Promise.all(tables.map(({ name }) => database.admin(`select * from context.${name}`)))
    return rows.flat().filter((row) => JSON.stringify(row).includes(sessionId))
  }

  describe('row level security', () => {
    it('lets readers of a tenant read its unfinished imports, and nothing else', async () => {
      const life = foreignSession({ tenant: 'acme' }, WORK)
      await store.imports.write(blockOf(life, 0, 4))
      const asRole = (role: string, tenant: string, sql: string) =>
        database.admin(`set role ${role}; select set_config('throughline.tenant', '${tenant}', false); ${sql}`)
      const look = 'select session_id as id from context.session_imports'
      for (const role of ['throughline_reader', 'throughline_functions', 'throughline_purge']) {
        expect(await asRole(role, 'acme', look), role).toEqual([{ id: life.sessionId }])
        for (const tenant of ['other', '']) expect(await asRole(role, tenant, look), role).toEqual([])
      }
      for (const sql of ['delete from context.session_imports', 'update context.session_imports set head = 1']) {
        await expect(asRole('throughline_reader', 'acme', sql)).rejects.toMatchObject({ code: '42501' })
      }
      // the readers' view shows it once it is finished
      const shown = 'select id from context.conversation_sessions'
      expect(await asRole('throughline_reader', 'acme', shown)).toEqual([])
      await store.imports.write(blockOf(life, 4))
      expect(await asRole('throughline_reader', 'acme', shown)).toEqual([{ id: life.sessionId }])
      expect(await asRole('throughline_reader', 'acme', look)).toEqual([])
    })

    it('allows taking over a commit, and no other change to it', async () => {
      await importSession(store, foreignSession({ conversationId: 'c' }, endSteps(1)))
      const change = (column: string, value: string) =>
        database.admin(`
          set role throughline_functions; select set_config('throughline.tenant', '*', false);
          update context.conversation_commits set ${column} = ${value}`)
      for (const [column, value] of [
        ['commit_id', "'x'"],
        ['position', '7'],
        ['session_id', 'gen_random_uuid()'],
        ['made_at', 'now()'],
      ] as const) {
        await expect(change(column, value)).rejects.toMatchObject({ code: '42501' })
      }
    })
  })

  describe('concurrent calls', () => {
    /** Calls on sessions and imports within an open transaction. */
    type Calls = ReturnType<typeof importCalls> & ReturnType<typeof sessionCalls>

    /** Starts the second call before the first commits, checks that it waits, and returns its result. */
    async function runWhileOpen<T>(first: (calls: Calls, query: Query) => Promise<unknown>, second: () => Promise<T>) {
      const { settled } = await connections.transaction(async (query) => {
        const within: Connections = { ...connections, query }
        const parts = [within, sessionLocator(within), await partitionsOf(connections)] as const
        await first({ ...importCalls(...parts), ...sessionCalls(...parts) }, query)
        let isOver = false
        const settled = Promise.allSettled([second()]).finally(() => {
          isOver = true
        })
        while (!isOver && (await database.admin(WAITING)).length === 0);
        expect(isOver).toBe(false)
        return { settled }
      })
      const [result] = await settled
      if (result.status === 'fulfilled') return result.value
      const { code, details } = result.reason as { code: string; details: object }
      return { code, ...details }
    }

    const life = (steps: Parameters<typeof foreignSession>[1] = WORK) => foreignSession({ conversationId: 'c' }, steps)
    const ended = [...WORK, ...endSteps(1)]

    async function forking(id: string) {
      const source = { sessionId: await createSession(store), sequence: 1 }
      const { event, view } = createRequest({ id })
      return () => store.fork({ source, event, at: NOON, view })
    }

    it('a create or fork with the id of an unfinished import is refused', async () => {
      const one = life()
      const create = () => store.create(createRequest({ id: one.sessionId }))
      expect(await runWhileOpen((calls) => calls.write(blockOf(one, 0, 2)), create)).toEqual(mismatch(one))
      expect(await store.imports.find(one.sessionId)).toEqual(expectedImport(one, 2, true))
      const two = life()
      const fork = await forking(two.sessionId)
      expect(await runWhileOpen((calls) => calls.write(blockOf(two, 0, 2)), fork)).toEqual(mismatch(two))
      expect(await store.imports.find(two.sessionId)).toEqual(expectedImport(two, 2, true))
    })

    it('a create or fork with the id of a finished import finds it', async () => {
      const [one, two] = [life(ended), foreignSession({}, WORK)]
      const create = () => store.create(createRequest({ id: one.sessionId }))
      const { record } = viewAfter(one)
      expect(await runWhileOpen((calls) => calls.write(blockOf(one)), create)).toEqual({ outcome: 'same-id', record })
      const fork = await forking(two.sessionId)
      expect(await runWhileOpen((calls) => calls.write(blockOf(two)), fork)).toMatchObject({ outcome: 'same-id' })
      expect(await readChecksummedLog(store, two.sessionId)).toEqual(two.events)
    })

    it.each([false, true])('a block conflicts with a session created with its id (done: %s)', async (done) => {
      const one = life()
      const write = () => store.imports.write({ ...blockOf(one), done })
      const created = runWhileOpen((calls) => calls.create(createRequest({ id: one.sessionId })), write)
      expect(await created).toEqual(conflict(one, 0, 1))
      expect(await store.imports.unfinished({ limit: 9 })).toEqual([])
      expect(await readLog(store, one.sessionId)).toHaveLength(1)
    })

    it.each([
      [0, 3],
      [3, 5],
      [5, 11],
    ] as const)('the same block is written once (%i to %i)', async (after, head) => {
      // without a commit and not live, so that it takes only its own lock
      const one = life([...WORK, ...endSteps(1).slice(0, 1), ['x.more']])
      if (after > 0) await store.imports.write(blockOf(one, 0, after))
      const block = blockOf(one, after, head)
      expect(
        await runWhileOpen(
          (calls) => calls.write(block),
          () => store.imports.write(block),
        ),
      ).toEqual(conflict(one, after, head))
      expect(await store.imports.find(one.sessionId)).toEqual(expectedImport(one, head, head < 11))
    })

    it('a create and an import into the same scope wait for each other', async () => {
      const [one, two] = [life(), life()]
      await store.imports.write(blockOf(one, 0, 4))
      const create = () => store.create(createRequest({ conversationId: 'c', reuse: 'any' }))
      const got = await runWhileOpen((calls) => calls.write(blockOf(one, 4)), create)
      expect(got).toEqual({ outcome: 'found', record: viewAfter(one).record })
      await store.purge(one, NOON)
      const request = createRequest({ conversationId: 'c' })
      const active = await runWhileOpen(
        (calls) => calls.create(request),
        () => store.imports.write(blockOf(two)),
      )
      expect(active).toEqual({ code: 'SESSION_ACTIVE', sessionId: request.view.record.id, conversationId: 'c' })
    })

    it('a new commit waits for the imported one and follows it', async () => {
      const [one, two] = [life(ended), life([...WORK, ...endSteps(3)])]
      const sessionId = await createSession(store, { conversationId: 'c' })
      const commit = () =>
        store.decide({
          sessionId,
          at: NOON,
          chained: true,
          decide: (view, last) => ({
            events: [someEvent('', 'session_compacted')],
            view: { ...advanceView(view, 1), commit: { id: 'mine', position: (last?.position ?? 0) + 1 } },
          }),
        })
      await runWhileOpen((calls) => calls.write(blockOf(one)), commit)
      await store.imports.write(blockOf(two))
      const links = await readCommits(store, 'c')
      expect(links.map(({ id, position }) => [id, position])).toEqual([
        ['commit 1', 1],
        ['mine', 2],
        ['commit 3', 3],
      ])
    })

    it('a block and a concurrent discard leave nothing behind', async () => {
      const [one, two, three] = [life(), life(), life(ended)]
      for (const each of [one, two, three]) await store.imports.write(blockOf(each, 0, 3))
      const next = () => store.imports.write(blockOf(one, 3))
      expect(await runWhileOpen((calls) => calls.discard(one), next)).toEqual(conflict(one, 3, 0))
      expect(await rowsOf(one.sessionId)).toEqual([])
      const discard = (life: ForeignSession) => store.imports.discard(life)
      expect(
        await runWhileOpen(
          (calls) => calls.write(blockOf(two, 3, 7)),
          () => discard(two),
        ),
      ).toBe(7)
      expect(await rowsOf(two.sessionId)).toEqual([])
      // the import is finished, so only a purge removes it
      expect(
        await runWhileOpen(
          (calls) => calls.write(blockOf(three, 3)),
          () => discard(three),
        ),
      ).toBe(0)
      expect(await loadView(store, three)).toEqual(viewAfter(three))
    })

    it('a block after a purge leaves nothing, and a purge removes the blocks before it', async () => {
      const [one, two] = [life(), foreignSession({}, WORK)]
      for (const each of [one, two]) await writeSession(store, each, 3)
      const next = () => store.imports.write(blockOf(one, 3))
      expect(await runWhileOpen((calls) => calls.purge({ ...one, within: ADA }, NOON), next)).toEqual(
        conflict(one, 3, 0),
      )
      expect(await rowsOf(one.sessionId)).toEqual([])
      const purge = () => store.purge(two, NOON)
      expect(await runWhileOpen((calls) => calls.write(blockOf(two, 3)), purge)).toEqual({ events: 9, keys: 0 })
      expect(await rowsOf(two.sessionId)).toEqual([])
    })
  })

  it('a purge of a user during an import leaves a whole session or nothing', async () => {
    for (const size of upTo(amount(6, 60))) {
      const one = foreignSession({ conversationId: 'c' }, [...WORK, ...endSteps(1)])
      const purged = async () => {
        for (;;) {
          const begun = await store.imports.unfinished({ limit: 9, within: ADA })
          for (const id of begun) await store.imports.discard({ sessionId: id })
          const ids = await store.sessionIds({ limit: 9, within: ADA })
          for (const sessionId of ids) await store.purge({ sessionId }, NOON)
          if (begun.length + ids.length > 0) return
        }
      }
      const [result] = await Promise.allSettled([importSession(store, one, (size % 6) + 1), purged()])
      const there = await store.imports.find(one.sessionId)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'SEQUENCE_CONFLICT' })
      if (there === undefined) {
        const left = await rowsOf(one.sessionId)
        // the commit, which a purge keeps
        expect(left.filter((row) => !Object.hasOwn(row as object, 'purged_at'))).toEqual([])
      } else {
        expect(there).toEqual(expectedImport(one, 11, false))
        expect(await readChecksummedLog(store, one.sessionId)).toEqual(one.events)
        await store.purge(one, NOON)
      }
      await database.admin('delete from context.conversation_commits')
    }
  })
})

function mismatch({ sessionId }: ForeignSession) {
  return { code: 'IDEMPOTENCY_MISMATCH', sessionId }
}

function conflict({ sessionId }: ForeignSession, expected: number, actual: number) {
  return { code: 'SEQUENCE_CONFLICT', sessionId, expected, actual }
}

/** Calls in this database that wait for a lock. */
const WAITING = `
  select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
