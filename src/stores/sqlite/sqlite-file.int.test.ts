import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { uuid7 } from '../../ids.ts'
import { open } from '../../open/open.ts'
import { serviceOf } from '../../service.ts'
import { conversation } from '../conformance/api-service.ts'
import { startWorker } from '../conformance/processes.ts'
import { upTo } from '../conformance/samples.ts'
import { existsSync } from '../files.ts'
import { SELECT_DESCENDANTS, SELECT_OTHER_CHILD } from './children.ts'
import { MARK_PURGED, SELECT_ALL_LINKS, SELECT_COMMIT_TIME, SELECT_LAST, SELECT_LINKS } from './commits.ts'
import { pendingSql } from './imports.ts'
import { sqliteStore } from './index.ts'
import { listSql } from './list.ts'
import { knownSchema } from './migrate.ts'
import { SELECT_BLOCKS, SELECT_EVENTS } from './read.ts'
import { SELECT_ACTIVE } from './sessions.ts'
import { edgesSql, SELECT_EXPIRED, SELECT_IDLE } from './work.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  path = join(folder, 'sessions.db')
})
afterEach(() => rm(folder, { recursive: true }))

/** A database with one session of four events, closed again. */
async function madeFile(): Promise<string> {
  const tl = await open(`sqlite:${path}`)
  const session = await tl.sessions.create({ userId: 'ada', task: 'mend' })
  await session.append(['a', 'b', 'c'].map((content) => ({ type: 'user_message', content })))
  await tl.close()
  return session.id
}

/** An external SQL client. */
function stray(sql: string): void {
  const db = new Database(path)
  try {
    db.exec(sql)
  } finally {
    db.close()
  }
}

describe('AC 1: the view conversation_sessions', () => {
  it('shows the same as the service and is read-only', async () => {
    const tl = await open(`sqlite:${path}`)
    const shown = await conversation(serviceOf(tl), async (id) => {
      const session = await tl.sessions.get(id)
      await session.clear()
      const { head: to } = await session.record()
      await session.addMessage({ role: 'user', content: 'taken back' })
      await session.recordTransition({ to: 'coach', reason: 'taken back' })
      await session.rewind({ to })
    })
    await tl.close()
    const db = new Database(path)
    const row = db.prepare('select * from conversation_sessions').get() as Record<string, string>
    expect({
      ...row,
      messages: JSON.parse(row['messages'] ?? ''),
      agent_transitions: JSON.parse(row['agent_transitions'] ?? ''),
    }).toEqual({
      id: shown.id,
      user_id: 'ada',
      active_agent: 'motivator',
      messages: shown.messages,
      agent_transitions: shown.agentTransitions,
      created_at: shown.createdAt,
      updated_at: shown.updatedAt,
      expires_at: null,
    })
    expect(shown.messages).toHaveLength(3)
    expect(() => db.exec('delete from conversation_sessions')).toThrow('it is a view')
    db.close()
  })
})

describe('events in the file', () => {
  it('S18 cannot be changed, removed or replaced by any client', async () => {
    await madeFile()
    expect(() => stray("update session_events set content = 'z' where sequence = 2")).toThrow('append-only')
    expect(() => stray('delete from session_events')).toThrow('append-only')
    expect(() => stray('insert or replace into session_events select * from session_events')).toThrow('append-only')
    stray("insert into session_purges values ('another session')")
    expect(() => stray('delete from session_events')).toThrow('append-only')
    const tl = await open(`sqlite:${path}`)
    expect((await tl.verify()).differences).toEqual([])
    expect((await tl.verify()).events).toBe(4)
    await tl.close()
  })

  it('verify finds damage and names the field, and rebuild repairs views', async () => {
    const id = await madeFile()
    stray(`update sessions set turns = 99, task = 'other', cleared_at = 2;
           update session_state set scratchpad = '{"a":1}'`)
    const tl = await open(`sqlite:${path}`)
    const { differences } = await tl.verify()
    expect(differences).toEqual([
      { sessionId: id, field: 'record.task', expected: 'mend', actual: 'other' },
      { sessionId: id, field: 'record.turns', expected: 3, actual: 99 },
      { sessionId: id, field: 'state.scratchpad.a', actual: 1 },
      { sessionId: id, field: 'clearedAt', expected: 0, actual: 2 },
    ])
    expect(await tl.rebuild()).toEqual({ sessions: 1, events: 4, repaired: [id] })
    expect((await tl.verify(id)).differences).toEqual([])
    await tl.close()
  })

  it('are found even if the head row lags behind', async () => {
    const id = await madeFile()
    stray('update sessions set head = 2, turns = 1')
    const tl = await open(`sqlite:${path}`)
    expect((await tl.verify()).differences.map(({ field }) => field)).toEqual(['record.head', 'record.turns'])
    const session = await tl.sessions.get(id)
    await expect(session.append({ type: 'user_message', content: 'd' })).rejects.toMatchObject({ code: 'STORAGE' })
    expect((await tl.rebuild(id)).repaired).toEqual([id])
    expect((await session.append({ type: 'user_message', content: 'd' }))[0]?.sequence).toBe(5)
    await tl.close()
  })

  it.each([
    ['in the middle', 'sequence = 3', [{ expected: 3, actual: 4 }]],
    ['at the beginning', 'sequence < 3', [{ expected: 1, actual: 3 }]],
    ['altogether', 'sequence > 0', [{ expected: 1 }]],
  ])('missing %s show as a gap in the log, which rebuild does not hide', async (_, which, gaps) => {
    const id = await madeFile()
    stray(`insert into session_purges values ('${id}'); delete from session_events where ${which}`)
    const tl = await open(`sqlite:${path}`)
    const differencesInLog = async () => (await tl.verify()).differences.filter(({ field }) => field === 'log')
    expect(await differencesInLog()).toEqual(gaps.map((gap) => ({ sessionId: id, field: 'log', ...gap })))
    expect((await tl.rebuild()).repaired).toEqual([])
    expect(await differencesInLog()).toHaveLength(1)
    await tl.close()
  })
})

describe('a purge', () => {
  it('leaves nothing of a user in any table or in the bytes of the file', async () => {
    const tl = await open(`sqlite:${path}`)
    const session = await tl.sessions.create({ userId: 'ada', metadata: { note: 'secret-in-metadata' } })
    for (let i = 0; i < 50; i++) {
      const content = `secret-in-content ${i} `.repeat(40)
      await session.append({ type: 'user_message', content }, { idempotencyKey: `secret-in-key ${i}` })
    }
    const other = await tl.sessions.create({ userId: 'bob' })
    await other.append({ type: 'user_message', content: 'kept' })
    expect(await tl.users.purge('ada')).toMatchObject({ sessions: 1, events: 51, keys: 50 })
    await tl.close()

    const db = new Database(path)
    const tables = db.prepare("select name from sqlite_schema where type = 'table'").pluck().all() as string[]
    const rows = tables.flatMap((table) => db.prepare(`select * from "${table}"`).all())
    db.close()
    expect(JSON.stringify(rows)).not.toMatch(/secret|"ada"/)
    expect(JSON.stringify(rows)).toContain('kept')
    const bytes = (await readFile(path)).toString('latin1')
    expect(bytes).not.toContain('secret')
    expect(bytes).toContain('kept')
  })

  it('is not needed for forgotten memories: the file keeps only their idempotency keys', async () => {
    const tl = await open(`sqlite:${path}`)
    const key = (idempotencyKey: string) => ({ idempotencyKey })
    const secret = { userId: 'ada', content: 'The secretive plan', metadata: { note: 'secret' } }
    const { id } = await tl.memories.remember({ ...secret, source: { source: 'secret diary' } }, key('kept-a'))
    await tl.memories.corroborate(id, { note: 'secret witness' }, key('kept-b'))
    const against = { note: 'secret letter', content: 'Another secret plan' }
    const { supersededBy = '' } = await tl.memories.contradict(id, against, key('kept-c'))
    await tl.memories.forget(supersededBy, key('kept-d'))
    expect(await tl.memories.forget({ userId: 'ada', source: 'secret diary' }, key('kept-e'))).toMatchObject({
      forgotten: 1,
    })
    await tl.close()
    const bytes = (await readFile(path)).toString('latin1')
    expect(bytes).not.toContain('secret')
    for (const name of ['kept-a', 'kept-b', 'kept-c', 'kept-d', 'kept-e']) expect(bytes).toContain(name)
  })

  it('is the only way past the triggers, and only for its own session', async () => {
    const id = await madeFile()
    stray("insert into session_purges values ('another')")
    expect(() => stray('delete from session_events')).toThrow('append-only')
    stray("delete from session_purges where session_id = 'another'")
    const tl = await open(`sqlite:${path}`)
    await tl.sessions.purge(id)
    await tl.close()
    const db = new Database(path)
    expect(db.prepare('select count(*) from session_purges').pluck().get()).toBe(0)
    db.close()
  })
})

describe('a failing write', () => {
  it('S1 leaves nothing behind, and S7 fails no other queued write', async () => {
    const id = await madeFile()
    // a taken id, which fails at the second event of the write
    stray(`insert into session_events
           select session_id, 6, 'stray', type, role, content, parts, agent_id, occurred_at, created_at, checksum
           from session_events where sequence = 4`)
    const tl = await open(`sqlite:${path}`)
    const [broken, sound] = [await tl.sessions.get(id), await tl.sessions.create({ userId: 'bob' })]
    const said = { type: 'user_message', content: 'd' } as const
    const breaking = () => broken.append([said, said, said], { idempotencyKey: 'k' })
    expect(await Promise.allSettled([sound.append(said), breaking(), sound.append(said)])).toMatchObject([
      { value: [{ sequence: 2 }] },
      { reason: { code: 'STORAGE' } },
      { value: [{ sequence: 3 }] },
    ])
    expect((await broken.events()).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 6])
    expect((await sound.events()).map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    expect([(await broken.record()).head, (await sound.record()).head]).toEqual([4, 3])
    await expect(breaking()).rejects.toMatchObject({ code: 'STORAGE' })
    await tl.close()
  })
})

describe('the schema', () => {
  it('is created once by eight concurrent processes', async () => {
    const workers = Array.from({ length: 8 }, () => startWorker(`sqlite:${path}`, { do: 'open' }))
    const schemas = (await Promise.all(workers.map(({ done }) => done))).flat()
    expect(schemas).toEqual(Array(8).fill(knownSchema()))
    const db = new Database(path)
    const ledger = db.prepare('select version from throughline_migrations order by version').pluck().all()
    expect(ledger).toEqual(upTo(knownSchema()))
    db.close()
  })

  it('waits for another process that holds the lock', async () => {
    const holder = new Database(path)
    holder.pragma('journal_mode = wal')
    holder.exec('begin immediate')
    const opening = open(`sqlite:${path}`)
    expect(await Promise.race([opening.catch(String), delay(100, 'waiting')])).toBe('waiting')
    holder.exec('commit')
    holder.close()
    await (await opening).close()
  })

  it('is never written by read-only connections', async () => {
    const id = await madeFile()
    const store = await sqliteStore({ path, durability: 'full', migrate: false, readonly: true, newId: uuid7 })
    expect(await store.sessionIds({ limit: 2 })).toEqual([id])
    await expect(store.pause('2026-03-01T12:00:00.000Z')).rejects.toMatchObject({ code: 'STORAGE' })
    await store.close()
    expect(await readdir(folder)).toEqual(['sessions.db'])
  })

  it('that is newer than the code is refused and left unchanged', async () => {
    await madeFile()
    stray("insert into throughline_migrations (version, name, checksum) values (9999, '9999_future', '')")
    const before = await readFile(path)
    await expect(open(`sqlite:${path}`)).rejects.toMatchObject({
      code: 'SCHEMA_NEWER',
      details: { found: 9999, known: knownSchema() },
    })
    expect(await readFile(path)).toEqual(before)
  })

  it('that becomes newer while the file is open stops every call', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const id = await madeFile()
    const [writer, reader] = [await open(`sqlite:${path}`), await open(`sqlite:${path}`)]
    const [written, read] = [await writer.sessions.get(id), await reader.sessions.get(id)]
    stray("insert into throughline_migrations (version, name, checksum) values (9999, '9999_future', '')")
    const newer = { code: 'SCHEMA_NEWER', details: { found: 9999, known: knownSchema() } }
    for (const _ of upTo(2)) {
      await expect(written.append({ type: 'user_message', content: 'd' })).rejects.toMatchObject(newer)
      await expect(written.record()).rejects.toMatchObject(newer)
    }
    vi.advanceTimersByTime(1000)
    for (const _ of upTo(2)) await expect(read.events()).rejects.toMatchObject(newer)
    await expect(reader.health()).rejects.toMatchObject(newer)
    await Promise.all([writer.close(), reader.close()])
    stray('delete from throughline_migrations where version = 9999')
    const tl = await open(`sqlite:${path}`)
    expect((await (await tl.sessions.get(id)).record()).head).toBe(4)
    await tl.close()
  })

  it.each([
    ['older edit of a migration', "update throughline_migrations set checksum = 'another'"],
    [
      'ledger of an earlier pre-release',
      `alter table throughline_migrations drop column checksum;
       insert into throughline_migrations (version, name) values (7, '0007_imports.sql')`,
    ],
  ])('made by an %s is refused with the way out and left unchanged', async (_, sql) => {
    await madeFile()
    stray(sql)
    const before = await readFile(path)
    for (const migrate of [true, false]) {
      const opening = open({ url: `sqlite:${path}`, migrate })
      await expect(opening).rejects.toMatchObject({ code: 'SCHEMA_OUTDATED', details: { madeBy: 'pre-release' } })
      await expect(opening).rejects.toThrow(/throughline export .* throughline import/)
    }
    expect(await readFile(path)).toEqual(before)
  })

  it('that is older is refused with migrate: false', async () => {
    await expect(open({ url: `sqlite:${path}`, migrate: false })).rejects.toMatchObject({
      code: 'SCHEMA_OUTDATED',
      details: { found: 0, needed: knownSchema() },
    })
    expect(await readdir(folder)).toEqual([])
    await madeFile()
    await (await open({ url: `sqlite:${path}`, migrate: false })).close()
  })

  it.each([
    ['empty', '', 'SCHEMA_OUTDATED'],
    ["another program's", 'create table bills (id integer)', 'STORAGE'],
    ['older', 'create table throughline_migrations (version integer)', 'SCHEMA_OUTDATED'],
  ])('that is %s stays unchanged with migrate: false', async (_, sql, code) => {
    await writeFile(path, '')
    stray(sql)
    const before = await readFile(path)
    await expect(open({ url: `sqlite:${path}`, migrate: false })).rejects.toMatchObject({ code })
    expect(await readFile(path)).toEqual(before)
    expect(await readdir(folder)).toEqual(['sessions.db'])
  })

  it('allows no client a second live session in a scope', async () => {
    await madeFile()
    const second = `create temp table copy as select * from sessions;
                    update copy set id = 'second';
                    insert into sessions select * from copy`
    expect(() => stray(second)).toThrow('UNIQUE')
  })

  it('is not created in a file of another program', async () => {
    stray('create table customers (name text)')
    const before = await readFile(path)
    await expect(open(`sqlite:${path}`)).rejects.toThrow('tables of another program')
    expect(await readFile(path)).toEqual(before)
  })

  it('leaves nothing of a failed migration', async () => {
    stray(`create table throughline_migrations (version integer not null primary key, name text not null);
           create table session_events (mine text)`)
    await expect(open(`sqlite:${path}`)).rejects.toMatchObject({ code: 'STORAGE' })
    const db = new Database(path)
    const tables = db.prepare("select name from sqlite_schema where type = 'table' order by name").pluck().all()
    expect(tables).toEqual(['session_events', 'throughline_migrations'])
    db.close()
  })
})

describe('the file', () => {
  it('is created on first use with its folder, which git ignores', async () => {
    const inside = join(folder, 'project', '.throughline')
    const tl = await open(`sqlite:${join(inside, 'sessions.db')}`)
    expect(await readFile(join(inside, '.gitignore'), 'utf8')).toBe('*\n')
    await tl.close()
    await mkdir(join(folder, 'mine'))
    await (await open(`sqlite:${join(folder, 'mine', 'sessions.db')}`)).close()
    expect(existsSync(join(folder, 'mine', '.gitignore'))).toBe(false)
  })

  it('is durable against power loss by default', async () => {
    const full = await open(`sqlite:${path}`)
    expect((await full.health()).details).toMatchObject({ journal: 'wal', synchronous: 'full' })
    await full.close()
    const relaxed = await open({ url: `sqlite:${path}`, durability: 'relaxed' })
    expect((await relaxed.health()).details).toMatchObject({ synchronous: 'normal' })
    await relaxed.close()
  })

  it('that is no database, or a folder, is refused with a hint', async () => {
    await writeFile(path, 'this is a text file, and long enough that SQLite looks at it as a whole page'.repeat(60))
    await expect(open(`sqlite:${path}`)).rejects.toThrow('not a SQLite database')
    await expect(open(`sqlite:${folder}`)).rejects.toMatchObject({ code: 'STORAGE' })
  })

  it('that cannot be created is refused with the path', async () => {
    await writeFile(path, 'a file where a folder should be')
    const impossible = join(path, 'inside', 'sessions.db')
    await expect(open(`sqlite:${impossible}`)).rejects.toMatchObject({ code: 'STORAGE' })
    await expect(open(`sqlite:${impossible}`)).rejects.toThrow(`cannot open '${impossible}'`)
  })

  it('that another process has locked makes writers wait, but not readers', async () => {
    const id = await madeFile()
    const holder = new Database(path)
    holder.exec('begin immediate')
    const tl = await open(`sqlite:${path}`)
    const session = await tl.sessions.get(id)
    const writing = session.append({ type: 'user_message', content: 'd' })
    for (let i = 0; i < 20; i++) expect((await session.record()).head).toBe(4)
    holder.exec('commit')
    holder.close()
    expect((await writing)[0]?.sequence).toBe(5)
    await tl.close()
  })
})

describe('query plans', () => {
  const after = { from: '', label: '', to: '', sequence: 1 }
  const plans: [what: string, sql: string, index: string][] = [
    ['a page of a log', SELECT_EVENTS, 'PRIMARY KEY'],
    ['a window from its end', `${SELECT_EVENTS} desc`, 'PRIMARY KEY'],
    ['the blocks of a type', SELECT_BLOCKS, 'PRIMARY KEY'],
    ['the active session of a user', SELECT_ACTIVE, 'sessions_active'],
    ['all sessions of a tenant', listSql({}), 'sessions_activity'],
    ['sessions of a user', listSql({ userId: '' }), 'sessions_user'],
    ['sessions in a state', listSql({ state: 'running' }), 'sessions_state'],
    ['sessions of a chatmode', listSql({ chatmode: '' }), 'sessions_chatmode'],
    ['sessions of an agent', listSql({ agent: '' }), 'sessions_agent'],
    ['sessions of a conversation', listSql({ conversationId: '' }), 'sessions_conversation'],
    ['children of a session', listSql({ userId: '', parent: '' }), 'sessions_children (parent_id=?)'],
    ['sessions of a time', listSql({ since: '', until: '' }), 'sessions_activity'],
    ['sessions behind a cursor', listSql({ cursor: { lastActivityAt: '', id: '' } }), 'sessions_activity'],
    ['idle sessions', SELECT_IDLE, 'sessions_due (activity_minute<?)'],
    ['expired sessions', SELECT_EXPIRED, 'sessions_expiring (expires_at<?)'],
    ['the last commit of a chain', SELECT_LAST, 'PRIMARY KEY'],
    ['commits of a user', SELECT_LINKS, 'position>?'],
    ['commits of a conversation', SELECT_ALL_LINKS, 'conversation_commits_conversation'],
    ['commits of a session', MARK_PURGED, 'conversation_commits_session'],
    ['when a commit was made', SELECT_COMMIT_TIME, 'e USING PRIMARY KEY (session_id=? AND sequence>? AND sequence<?)'],
    ['what has begun to come in', pendingSql({}), 'PRIMARY KEY (session_id>?)'],
    [
      'what of it is of a user',
      pendingSql({ within: { tenant: '', userId: '' } }),
      '(tenant=? AND user_id=? AND session_id>?)',
    ],
    ['all edges', edgesSql({}), 'PRIMARY KEY (session_id=?)'],
    ['edges behind a cursor', edgesSql({ after }), '(session_id=? AND (from_node,label,to_node,sequence)>'],
    ['edges from nodes', edgesSql({ nodes: [], direction: 'out' }), 'PRIMARY KEY (session_id=? AND from_node=?)'],
    ['some edges from nodes', edgesSql({ nodes: [], direction: 'out', labels: [] }), 'from_node=? AND label=?)'],
  ]
  it.each(plans)('serve %s by an index', async (_, sql, index) => {
    await madeFile()
    const plan = planOf(sql)
    expect(plan).toContain(index)
    // a list goes through the sorted ids of its subquery
    expect(plan).not.toMatch(/SCAN (?!\(subquery)/)
    // sorting sessions of one minute is fine, sorting a whole list is not
    expect(plan).not.toContain('USE TEMP B-TREE FOR ORDER BY')
  })

  it.each([
    ['descendants', SELECT_DESCENDANTS],
    ['other children', SELECT_OTHER_CHILD],
  ])('find %s of sessions by the parent', async (_, sql) => {
    await madeFile()
    expect(planOf(sql)).toContain('SEARCH s USING INDEX sessions_children (parent_id=?)')
  })

  // the order is by source node, so only incoming edges are sorted
  it.each([
    ['edges to nodes', edgesSql({ nodes: [], direction: 'in' }), '(session_id=? AND to_node=?)'],
    ['edges at nodes', edgesSql({ nodes: [] }), '(session_id=? AND to_node=?)'],
    ['some edges at nodes', edgesSql({ nodes: [], labels: [], after }), '(session_id=? AND to_node=? AND label=?'],
  ])('serve %s by the reverse index', async (_, sql, columns) => {
    await madeFile()
    const plan = planOf(sql)
    expect(plan).toContain(`session_edges_reverse ${columns}`)
    expect(plan).not.toContain('SCAN')
    expect(plan).not.toContain('PRIMARY KEY (session_id=?)')
  })

  function planOf(sql: string): string {
    const db = new Database(path)
    const names = sql.match(/@\w+/g) ?? []
    const values = Object.fromEntries(names.map((name) => [name.slice(1), /types|nodes|labels/.test(name) ? '[]' : 1]))
    const plan = db.prepare(`explain query plan ${sql}`).all(values) as { detail: string }[]
    db.close()
    // a list parameter is a table to SQL
    const lines = plan.map(({ detail }) => detail).filter((line) => !line.includes('json_each'))
    return lines.join('; ')
  }
})
