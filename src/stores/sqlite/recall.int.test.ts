import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { analyzeText as describeText } from '../../domain/recall/analyze.ts'
import { decodePostings } from '../../domain/recall/postings.ts'
import { uuid7 } from '../../ids.ts'
import type { Store } from '../../ports/store.ts'
import {
  ADA,
  appendRequest,
  createRequest,
  createSession,
  describeTerms,
  NOON,
  putRequest,
  someEvents,
  someMemory,
  someMessage,
  upTo,
} from '../conformance/samples.ts'
import { sqliteStore } from './index.ts'
import { FORGET_KEYS, SELECT_MEMORY_KEY, SELECT_RESPONSE } from './memory-keys.ts'
import {
  LIST_MEMORIES,
  SELECT_EXPIRED_MEMORIES,
  SELECT_FROM_SOURCE,
  SELECT_HISTORY,
  SELECT_MEMORY,
  SELECT_OWN_MEMORIES,
  SELECT_UNREAD,
} from './memory-read.ts'
import { COUNT_USES, SELECT_DERIVED, SELECT_SAME } from './memory-write.ts'
import { SELECT_NEWEST, SELECT_PAGE } from './recall-marks.ts'
import { DELETE_POSTING, EXTEND_POSTING, SELECT_BLOCK } from './recall-partition.ts'
import { SELECT_FREQUENCY, SELECT_LAST_TURNS, SELECT_PLACE, SELECT_POSTINGS, SELECT_SPAN } from './recall-read.ts'
import { REMOVE_MESSAGES, RESET_MARKS } from './recall-write.ts'

const MESSAGES = { ...ADA, corpus: 'messages' } as const
const INDEX_TABLES = ['corpora', 'postings', 'terms', 'speakers', 'blocks', 'messages'].map((name) => `recall_${name}`)

let folder: string
let path: string
let store: Store

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  path = join(folder, 'sessions.db')
  store = await sqliteStore({ path, durability: 'full', migrate: true, newId: uuid7 })
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

/** The content of the file for any SQL client. */
function rows<Row>(sql: string, ...values: unknown[]): Row[] {
  const db = new Database(path)
  try {
    return db.prepare<unknown[], Row>(sql).all(...values)
  } finally {
    db.close()
  }
}

const countOf = (table: string) => rows<{ n: number }>(`select count(*) as n from ${table}`)[0]?.n

/** A session with messages of these texts, added one by one. */
async function saidIn(texts: readonly string[], given: Parameters<typeof createSession>[1] = {}): Promise<string> {
  const sessionId = await createSession(store, given)
  await store.append(appendRequest(sessionId, { events: someEvents(texts.length) }))
  for (const [i, text] of texts.entries()) {
    const messages = [someMessage(i + 1, describeText(text))]
    expect(await store.index.add({ sessionId, from: i, to: i + 1, version: 1, messages })).toBe(true)
  }
  return sessionId
}

describe('index entries in the file', () => {
  it('keep every byte when later ones are appended', async () => {
    const sessionId = await createSession(store)
    await store.append(appendRequest(sessionId, { events: someEvents(10) }))
    // zeros, bytes that are invalid in UTF-8, and split characters
    const places = [0, 64, 127, 128, 255, 256, 16_256, 16_384, 2_097_151, 2 ** 32].map((n) => [n])
    const words = places.map((list) => describeTerms({ word: list }, { length: list[0] ?? 0 }))
    for (const [i, each] of words.entries()) {
      const messages = [someMessage(i + 250, each)]
      await store.index.add({ sessionId, from: i, to: i + 1, version: 1, messages })
    }
    const blocks = await store.index.postings(MESSAGES, ['word'], 9)
    const found = blocks.flatMap(({ session, block, data }) => decodePostings(session, block, data))
    expect(found).toEqual(
      words.map(({ length, asks, places: terms }, i) => {
        return { session: sessionId, turn: i + 250, length, asks, places: terms.get('word') }
      }),
    )
  })

  it('leave no trace after a purge of their sessions or of the user', async () => {
    const dropped = await saidIn(['secretly green tea', 'and a secretive cup?'], { userId: 'bob' })
    await store.index.drop(dropped)
    for (const table of INDEX_TABLES) expect([table, countOf(table)]).toEqual([table, 0])
    const purged = await saidIn(['secretly green tea', 'and a secretive cup?'])
    await store.purge({ sessionId: purged }, NOON)
    for (const table of [...INDEX_TABLES]) expect([table, countOf(table)]).toEqual([table, 0])
    await saidIn(['a secretive saucer'])
    await store.memories.purge(ADA)
    for (const table of INDEX_TABLES) expect([table, countOf(table)]).toEqual([table, 0])
    await store.close()
    expect((await readFile(path)).toString('latin1')).not.toContain('secret')
  })

  it('are removed if a repair changes the owner of the session', async () => {
    const sessionId = await saidIn(['green tea'])
    const before = await store.load({ sessionId })
    if (before === undefined) throw new Error('no such session')
    const view = { ...before, record: { ...before.record, userId: 'bob' } }
    expect(await store.repair({ sessionId }, before.record.head, view, [])).toBe(true)
    for (const table of INDEX_TABLES) expect([table, countOf(table)]).toEqual([table, 0])
    expect(await store.index.mark(sessionId)).toMatchObject({ userId: 'bob', indexed: 0, turns: 0 })
  })

  it('are rejected for a session or memory whose id is not a UUID', async () => {
    await store.create(createRequest({ id: 'mine' }))
    const messages = [someMessage(1, ['word'])]
    const add = store.index.add({ sessionId: 'mine', from: 0, to: 1, version: 1, messages })
    await expect(add).rejects.toMatchObject({ code: 'STORAGE' })
    expect(await store.index.mark('mine')).toMatchObject({ indexed: 0 })
    const memory = someMemory({ id: 'mine' })
    await expect(store.memories.change(putRequest([{ memory }]))).rejects.toMatchObject({ code: 'STORAGE' })
    await store.purge({ sessionId: 'mine' }, NOON)
  })
})

describe('killed writers', () => {
  /** Indexes one session after another and prints each id. */
  const ADDER = `
    const [path, root, label] = process.argv.slice(1)
    const { sqliteStore } = await import(root + 'stores/sqlite/index.ts')
    const { createSession, someMessage, upTo } = await import(root + 'stores/conformance/samples.ts')
    const { uuid7 } = await import(root + 'ids.ts')
    const store = await sqliteStore({ path, durability: 'full', migrate: true, newId: uuid7 })
    for (;;) {
      const sessionId = await createSession(store)
      const messages = upTo(20).map((turn) => someMessage(turn, ['shared', label, 'own' + turn], { speaker: label }))
      await store.index.add({ sessionId, from: 0, to: 1, version: 1, messages })
      console.log(sessionId)
    }`

  it('leave whole sessions and correct counts, with two concurrent processes', async () => {
    const root = new URL('../../', import.meta.url).href
    const children = ['left', 'right'].map((label) =>
      spawn(process.execPath, ['--input-type=module', '-e', ADDER, path, root, label], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    )
    const printed: string[] = []
    await Promise.all(
      children.map(async (child) => {
        const exit = once(child, 'exit')
        let lines = 0
        for await (const line of createInterface(child.stdout)) {
          printed.push(line)
          if (++lines === 12) child.kill('SIGKILL')
        }
        await exit
      }),
    )
    const indexed = rows<{ id: string }>('select session_id as id from session_marks where indexed = 1')
    const ids = indexed.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(printed))
    expect(printed.length).toBeGreaterThanOrEqual(24)
    const { messages, terms, frequencies, speakers } = await store.index.lookup(MESSAGES, [
      'shared',
      'left',
      'right',
      'own7',
    ])
    expect([messages, terms]).toEqual([20 * ids.length, 60 * ids.length])
    expect([frequencies.get('shared'), frequencies.get('own7')]).toEqual([20 * ids.length, ids.length])
    expect((frequencies.get('left') ?? 0) + (frequencies.get('right') ?? 0)).toBe(20 * ids.length)
    expect([...speakers].sort()).toEqual(['left', 'right'])
    const blocks = await store.index.postings(MESSAGES, ['shared'], 1000)
    expect(blocks.map(({ session }) => session)).toEqual(ids.sort())
    for (const { data } of blocks) expect(decodePostings('', 0, data).map(({ turn }) => turn)).toEqual(upTo(20))
    expect(countOf('recall_messages')).toBe(20 * ids.length)
  }, 60_000)
})

describe('a memory that another SQL client inserted', () => {
  it('has no index entries yet, and can be changed and removed with any id', async () => {
    const db = new Database(path)
    const insert = db.prepare(
      "insert into memories (id, tenant, user_id, category, content, created_at) values (?, 'local', 'ada', 'facts', 'x', ?)",
    )
    const id = uuid7()
    for (const each of [id, 'any']) insert.run(each, NOON)
    db.close()
    const unread = await store.memories.unindexed(ADA, 1, 9)
    const expected = { sourceType: 'explicit', confidence: 0.8, lineage: [], useCount: 0 }
    expect(unread).toMatchObject([id, 'any'].map((each) => ({ id: each, ...expected })))
    const [memory = someMemory()] = unread
    const puts = [{ memory, words: { description: describeTerms(['tea']), version: 1 } }]
    await store.memories.change(putRequest([], { decide: () => ({ puts, removals: ['any'] }) }))
    expect(await store.memories.list({ ...ADA, limit: 9 })).toEqual([memory])
    expect(await store.memories.unindexed(ADA, 1, 9)).toEqual([])
  })
})

describe('the full text of memories', () => {
  const FIND = `
    select m.content
    from memories_fts f
    join memories m on m.number = f.rowid
    where memories_fts match ?
    order by rank`
  const find = (words: string) => rows<{ content: string }>(FIND, words).map(({ content }) => content)

  it('is available to any SQL client and follows each change, also after a vacuum', async () => {
    const [a, b, c] = ['Ada plays guitars', 'a secretive Zürich', 'nothing'].map((content) => someMemory({ content }))
    if (a === undefined || b === undefined || c === undefined) throw new Error('three memories')
    await store.memories.change(putRequest([a, b, c].map((memory) => ({ memory }))))
    expect(find('playing guitar')).toEqual(['Ada plays guitars'])
    expect(find('zurich')).toEqual(['a secretive Zürich'])
    await store.memories.markUsed(ADA, [a.id], NOON)
    await store.memories.change(putRequest([{ memory: { ...a, content: 'Ada plays the lute' } }]))
    await store.memories.change(putRequest([], { decide: () => ({ puts: [], removals: [c.id] }) }))
    expect([find('guitar'), find('lute'), find('nothing')]).toEqual([[], ['Ada plays the lute'], []])
    const db = new Database(path)
    db.exec('vacuum')
    db.exec("insert into memories_fts (memories_fts, rank) values ('integrity-check', 1)")
    db.close()
    expect(find('secretive')).toEqual(['a secretive Zürich'])
  })

  it('has no trace of forgotten memories', async () => {
    const content = 'a secretive fact'
    const put = {
      memory: someMemory({ content, metadata: { note: content } }),
      fingerprint: content,
      words: { description: describeText(content), version: 1 },
      changes: [{ at: NOON, change: 'created' as const, confidence: 0.8, note: content }],
    }
    await store.memories.change(putRequest([put, { memory: someMemory({ content: 'kept of bob' }) }]))
    await store.memories.change(putRequest([], { decide: () => ({ puts: [], removals: [put.memory.id] }) }))
    expect(find('kept')).toEqual(['kept of bob'])
    await store.close()
    const bytes = (await readFile(path)).toString('latin1')
    expect(bytes).toContain('kept of bob')
    // the stem, as the full-text index stores it
    expect(bytes).not.toContain('secret')
  })
})

it('finds the sessions that are behind page by page, also those of one minute', async () => {
  const at = (n: number) => new Date(Date.parse(NOON) + n * 1000).toISOString()
  const made: string[] = []
  // several pages, in an order that is not that of their ids, seven to a minute
  for (let n = 0; n < 450; n++) made.push(await createSession(store, { at: at(((n * 7) % 450) * 9) }))
  const expected = made.map((id, n) => ({ id, n: (n * 7) % 450 })).sort((a, b) => b.n - a.n)
  const idsOf = (marks: { sessionId: string }[]) => marks.map(({ sessionId }) => sessionId)
  for (const newest of [undefined, 1, 199, 200, 201, 449, 450, 451]) {
    expect(idsOf(await store.index.marks(ADA, 1, newest))).toEqual(expected.slice(0, newest).map(({ id }) => id))
  }
  for (const within of [undefined, ADA]) {
    const query = { version: 1, after: '', ...(within && { within }) }
    expect(await store.index.behind({ ...query, limit: 1000 })).toEqual(made.toSorted())
    expect(await store.index.behind({ ...query, limit: 201 })).toEqual(made.toSorted().slice(0, 201))
  }
})

it('lets other work run while it looks for sessions that are behind', async () => {
  const task = 'task '.repeat(12_000)
  for (let n = 0; n < 1000; n++) await createSession(store, { task })
  for (const find of [
    () => store.index.marks(ADA, 1),
    () => store.index.behind({ version: 1, limit: 2000, within: ADA }),
  ]) {
    await new Promise(setImmediate)
    let turns = 0
    const count = () => {
      turns++
      turn = setImmediate(count)
    }
    let turn = setImmediate(count)
    expect(await find()).toHaveLength(1000)
    clearImmediate(turn)
    expect(turns).toBeGreaterThan(1)
  }
})

describe('query plans of memory and recall', () => {
  const plans: [what: string, sql: string, index: string][] = [
    [
      'marks of a user',
      SELECT_NEWEST,
      's USING INDEX sessions_user (tenant=? AND user_id=? AND (activity_minute,id)<(?,?))',
    ],
    ['a page of all sessions', SELECT_PAGE, 's USING PRIMARY KEY (id>?)'],
    ['marks to be put back', RESET_MARKS, 'session_marks USING PRIMARY KEY (session_id=?)'],
    ['the count of a term', SELECT_FREQUENCY, 'PRIMARY KEY (corpus_id=? AND term=?)'],
    ['the blocks of a term', SELECT_POSTINGS, 'recall_postings USING PRIMARY KEY (corpus_id=? AND term=?)'],
    ['a block of a term to put behind', EXTEND_POSTING, '(corpus_id=? AND term=? AND session_id=? AND block=?)'],
    ['a block of a term to remove', DELETE_POSTING, '(corpus_id=? AND term=? AND session_id=? AND block=?)'],
    ['the terms of a session', SELECT_BLOCK, '(corpus_id=? AND session_id=?)'],
    ['who spoke in a session', REMOVE_MESSAGES, 'PRIMARY KEY (corpus_id=? AND session_id=?)'],
    ['a message', SELECT_PLACE, 'PRIMARY KEY (corpus_id=? AND session_id=? AND turn=?)'],
    ['the last messages of a session', SELECT_LAST_TURNS, 'PRIMARY KEY (corpus_id=? AND session_id=?)'],
    ['the last messages of a span', SELECT_SPAN, 'recall_messages_time (corpus_id=? AND time>? AND time<?)'],
    ['memories by id', SELECT_MEMORY, 'memories_id (id=?)'],
    ['memories of a user by id', SELECT_OWN_MEMORIES, '(tenant=? AND user_id=? AND id=?)'],
    ['uses to be counted', COUNT_USES, '(tenant=? AND user_id=? AND id=?)'],
    ['memories that say the same', SELECT_SAME, 'memories_fingerprint (tenant=? AND user_id=? AND fingerprint=?)'],
    ['a page of memories', LIST_MEMORIES, '(tenant=? AND user_id=? AND id>?)'],
    [
      'memories from a source',
      SELECT_FROM_SOURCE,
      's USING PRIMARY KEY (tenant=? AND user_id=? AND key=? AND memory_id>?)',
    ],
    ['memories that a source supports', SELECT_DERIVED, 's USING PRIMARY KEY (tenant=? AND user_id=? AND key=?)'],
    ['memories that expired', SELECT_EXPIRED_MEMORIES, 'memories_expiring (expires_at<?)'],
    ['memories that have no words', SELECT_UNREAD, 'memories_unindexed (tenant=? AND user_id=? AND index_version<?)'],
    ['the key of a change', SELECT_MEMORY_KEY, 'memory_keys USING PRIMARY KEY (tenant=? AND user_id=? AND key=?)'],
    ['the response to a key', SELECT_RESPONSE, 'memory_keys USING INDEX memory_keys_fingerprint (fingerprint=?'],
    ['keys to forget', FORGET_KEYS, 'memory_keys USING COVERING INDEX memory_keys_at (at<?)'],
    ['the history of a memory', SELECT_HISTORY, 'memory_history USING PRIMARY KEY (memory=? AND version>?)'],
  ]
  it.each(plans)('serve %s by an index', (_, sql, index) => {
    const names = sql.match(/@\w+/g) ?? []
    const named = Object.fromEntries(names.map((name) => [name.slice(1), /ids|fingerprints/.test(name) ? '[]' : 1]))
    const values = names.length > 0 ? [named] : (sql.match(/\?/g) ?? []).map(() => 1)
    const plan = rows<{ detail: string }>(`explain query plan ${sql}`, ...values).map(({ detail }) => detail)
    // a list is a parameter, and rows found within a query are not searched again
    const lines = plan.filter((line) => !/json_each|SCAN \(subquery|LIST SUBQUERY/.test(line)).join('; ')
    expect(lines).toContain(index)
    expect(lines).not.toContain('SCAN')
    expect(lines).not.toContain('USE TEMP B-TREE FOR ORDER BY')
  })
})
