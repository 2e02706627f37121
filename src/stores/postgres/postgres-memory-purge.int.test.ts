import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../../../test/servers/database.ts'
import { open, type Throughline } from '../../index.ts'

/** Everything that a purge of memories deletes. */
const TABLES = [
  ...['memories', 'memory_history', 'memory_keys', 'memory_sources', 'memory_versions'].map((name) => `memori.${name}`),
  ...['corpora', 'terms', 'speakers', 'postings', 'blocks', 'messages'].map((name) => `context.recall_${name}`),
]
/** Fewer than any call leaves. */
const ROWS = 7
const SAID = 'the night train to Vienna'

describe.each(inject('postgres'))('a purge of the memories of a user on $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  let tl: Throughline
  beforeAll(async () => {
    databases = await databasesOf(url)
    database = await databases.create()
    // the background index would write again what a piece has removed
    tl = await open({ url: database.url(SERVING), index: false })
  })
  afterAll(async () => {
    await tl.close()
    await database.destroy()
    await databases.close()
  })

  /** A user with an indexed session and 20 memories. */
  async function fill(userId: string): Promise<void> {
    const session = await tl.sessions.create({ userId })
    await session.append([
      { type: 'user_message', content: `Is ${SAID} on time?` },
      { type: 'model_message', content: `Yes, ${SAID} is on time.` },
    ])
    const memories = Array.from({ length: 20 }, (_, i) => ({
      userId,
      content: `${userId} likes train number ${i}`,
      source: { source: 'notes' },
    }))
    await tl.memories.remember(memories, { idempotencyKey: `of ${userId}` })
    expect(await recalled(userId)).toBeGreaterThan(1)
  }

  const recalled = async (userId: string) => (await tl.recall({ userId, query: 'train to Vienna' })).items.length

  interface Piece {
    memories: number
    keys: number
    has_more: boolean
  }

  async function purgePiece(userId: string): Promise<Piece> {
    const values = `context.partition_of('local', '${userId}'), 'local', '${userId}', ${ROWS}`
    const [piece] = await database.admin(`select * from context.purge_memories(${values})`)
    return piece as unknown as Piece
  }

  /** Tables with rows of the partition of the user. */
  async function tablesWith(userId: string): Promise<string[]> {
    const found = []
    for (const table of TABLES) {
      const rows = await database.admin(
        `select 1 from ${table} where partition = context.partition_of('local', '${userId}') limit 1`,
      )
      if (rows.length > 0) found.push(table)
    }
    return found
  }

  it('deletes a few rows at a time, counts them, and leaves none', async () => {
    await fill('ada')
    await fill('bob')
    expect(await tablesWith('ada')).toEqual(TABLES)
    const pieces: Piece[] = []
    do pieces.push(await purgePiece('ada'))
    while (pieces.at(-1)?.has_more)
    expect(pieces.length).toBeGreaterThan(10)
    for (const { memories } of pieces) expect(memories).toBeLessThanOrEqual(ROWS)
    const sum = (count: (piece: Piece) => number) => pieces.reduce((total, piece) => total + count(piece), 0)
    expect([sum(({ memories }) => memories), sum(({ keys }) => keys)]).toEqual([20, 1])
    expect(await tablesWith('ada')).toEqual([])
    expect(await tablesWith('bob')).toEqual(TABLES)
  })

  it('that stopped half way leaves a search that works, and the next purge removes the rest', async () => {
    await fill('eve')
    for (let i = 0; i < 10; i++) expect((await purgePiece('eve')).has_more).toBe(true)
    // the session is indexed anew, next to the rest of its old entries
    expect(await recalled('eve')).toBeGreaterThan(0)
    expect(await tl.users.purge('eve')).toMatchObject({ sessions: 1 })
    expect(await tablesWith('eve')).toEqual([])
  })
})
