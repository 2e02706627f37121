import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SessionNotFoundError } from '../../domain/errors.ts'
import { type CommitQueue, commitQueue, Refusal } from './commit-queue.ts'

let folder: string
let db: Database.Database
let other: Database.Database
let queue: CommitQueue
let endings: boolean[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  db = new Database(join(folder, 'queue.db'))
  // a child without its parent is found at the commit, not before
  db.exec(`pragma journal_mode = wal;
    create table parent (id integer primary key);
    create table child (id integer primary key, parent integer references parent deferrable initially deferred)`)
  other = new Database(join(folder, 'queue.db'))
  endings = []
  queue = commitQueue(db, { beforeCommit() {}, afterEnd: (committed) => void endings.push(committed) })
})
afterEach(async () => {
  await queue.idle()
  db.close()
  other.close()
  await rm(folder, { recursive: true })
})

const parent = (id: number) => () => db.prepare('insert into parent values (?)').run(id).changes
const orphan = (id: number) => () => db.prepare('insert into child values (?, 99)').run(id).changes
const parents = () => other.prepare('select id from parent order by rowid').pluck().all()

/** How each of the writes ended: its value, or the code or name of its error. */
async function outcomes(writes: Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(writes)
  return settled.map((end) => (end.status === 'fulfilled' ? end.value : (end.reason.code ?? end.reason.name)))
}

describe('queued writes', () => {
  it('share one transaction and are acknowledged after it', async () => {
    const seen = [1, 2, 3].map((id) => queue.add(parent(id)).then(parents))
    expect(await Promise.all(seen)).toEqual(Array(3).fill([1, 2, 3]))
    expect(endings).toEqual([true])
  })

  it('are split into batches for other processes, and keep their order', async () => {
    const writes = Array.from({ length: 1100 }, (_, id) => queue.add(parent(id)))
    await Promise.all(writes)
    expect(endings).toEqual([true, true, true])
    expect(parents()).toEqual(Array.from({ length: 1100 }, (_, id) => id))
  })

  it('succeed beside one that refuses with its own error', async () => {
    const missing = new SessionNotFoundError('s')
    const refusal = new RangeError('no')
    const refuse = (error: Error) => () => {
      throw error
    }
    const writes = [
      queue.add(parent(1)),
      queue.add(refuse(missing)),
      queue.add(refuse(new Refusal('refused', { cause: refusal }))),
      queue.add(parent(2)),
    ]
    const [first, second, third, fourth] = await Promise.allSettled(writes)
    expect([first, fourth]).toMatchObject([{ value: 1 }, { value: 1 }])
    expect([second, third]).toEqual([
      { status: 'rejected', reason: missing },
      { status: 'rejected', reason: refusal },
    ])
    expect(parents()).toEqual([1, 2])
    expect(endings).toEqual([true])
  })

  it('are retried without a broken one, before later writes', async () => {
    const order: number[] = []
    const noting = (id: number) => () => {
      order.push(id)
      return parent(id)()
    }
    const writes = Array.from({ length: 600 }, (_, id) => queue.add(id === 3 ? parent(2) : noting(id)))
    const ends = await outcomes(writes)
    expect(ends.filter((end) => end === 1)).toHaveLength(599)
    expect(ends[3]).toBe('STORAGE')
    expect(parents()).toHaveLength(599)
    expect(order.slice(-599)).toEqual(Array.from({ length: 600 }, (_, id) => id).filter((id) => id !== 3))
    expect(endings).toEqual([false, true, true])
  })

  it('are not held up by broken ones that come again and again', async () => {
    await queue.add(parent(0))
    let isDone = false
    let broken = 0
    const breaking = async () => {
      // without a limit, a queue that never comes to the other write would run forever
      while (!isDone && broken++ < 1000) await queue.add(parent(0)).catch(() => {})
    }
    const breakings = breaking()
    expect(await queue.add(parent(1))).toBe(1)
    isDone = true
    await breakings
    expect(broken).toBeLessThan(1000)
  })

  it('all fail with the commit and leave nothing', async () => {
    expect(await outcomes([queue.add(parent(1)), queue.add(orphan(1)), queue.add(parent(2))])).toEqual(
      Array(3).fill('STORAGE'),
    )
    expect(db.inTransaction).toBe(false)
    expect(parents()).toEqual([])
    expect(endings).toEqual([false])
    expect(await queue.add(parent(3))).toBe(1)
    expect(parents()).toEqual([3])
  })

  it('all fail if no transaction can begin', async () => {
    db.exec('begin')
    expect(await outcomes([queue.add(parent(1)), queue.add(parent(2))])).toEqual(['STORAGE', 'STORAGE'])
    db.exec('rollback')
    expect(await queue.add(parent(3))).toBe(1)
    expect(parents()).toEqual([3])
  })

  it('are finished when the queue is idle', async () => {
    const told: unknown[] = []
    void queue.add(parent(1)).then((value) => told.push(value))
    await queue.idle()
    expect([told, parents()]).toEqual([[1], [1]])
  })
})
