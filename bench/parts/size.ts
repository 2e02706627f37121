import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { open } from '../../dist/index.js'
import { throughline } from '../contenders/throughline.ts'
import { Database } from '../drivers.ts'
import { durableLineup, type LineupEntry, type Store, targetOf } from '../lineup.ts'
import { message, runWriters } from '../load.ts'
import { markOf } from '../losses.ts'
import { reasonOf } from '../measure.ts'
import type { Part, PartOptions } from '../part.ts'
import type { Row } from '../table.ts'
import type { Workspace } from '../workspace.ts'

/** Longest time for the appends in milliseconds; slow stores are measured by what they stored until then. */
const OWN_MS = 60_000
const PEER_MS = 8000

/** T1: growth of a store per message, for 20,000 messages added one by one to one session. */
export const SIZE: Part = {
  name: 'size',
  stores: ['sqlite', 'postgres'],
  async *run(setting) {
    const { store, places } = setting
    const rows: Row[] = []
    for (const seat of durableLineup(store, setting.peers)) {
      // the term index is measured separately, because raw has none
      if (seat.kind === 'throughline') {
        const { name } = seat.entrant
        rows.push(await grown(setting, without(store, name, seat)))
        rows.push(await grown(setting, { ...without(store, `${name}, with the index of words`, seat), indexed: true }))
      } else {
        rows.push(await grown(setting, seat))
      }
    }
    yield { id: 'T1', title: 'room on disk for a message of 500 bytes', by: 'value', unit: 'bytes per event', rows }
    await places.clear()
  },
}

interface Sized extends LineupEntry {
  /** Everything is indexed before the size is measured. */
  indexed?: true
}

const urlOf = (store: Store) => (target: string) => (store === 'sqlite' ? `sqlite:${target}` : target)

function without(store: Store, name: string, seat: LineupEntry): Sized {
  return { ...seat, entrant: throughline(name, urlOf(store)) }
}

async function grown(setting: PartOptions, seat: Sized): Promise<Row> {
  const row = { name: seat.entrant.name, kind: seat.kind, base: seat.base }
  try {
    return { ...row, ...(await weighed(setting, seat)) }
  } catch (error) {
    return { ...row, note: '', fails: reasonOf(error) }
  }
}

async function weighed({ store, places, quick }: PartOptions, seat: Sized): Promise<Pick<Row, 'value' | 'note'>> {
  const { entrant, kind, indexed } = seat
  const target = await targetOf(store, seat, places)
  const first = await entrant.open(target, { connections: 1 })
  const { caveat } = first
  const sessionId = await first.create()
  await first.close()
  const before = await bytesOf(store, target, places)

  const contender = await entrant.open(target, { connections: 1 })
  const append = (_: number, i: number) => contender.append(sessionId, message(i, markOf(0, i)))
  const each = quick ? 500 : 20_000
  const { operations } = await runWriters({ writers: 1, each }, append, kind === 'peer' ? PEER_MS : OWN_MS)
  await contender.close()
  if (indexed === true) {
    const tl = await open({ url: urlOf(store)(target) })
    await tl.index()
    await tl.close()
  }
  const bytes = (await bytesOf(store, target, places)) - before
  const few = operations < each ? `after ${operations.toLocaleString('en')} events` : ''
  return { value: bytes / operations, note: [few, caveat].filter(Boolean).join('; ') }
}

/** Size of a file with its companions after a checkpoint, or of all tables. */
async function bytesOf(store: Store, target: string, places: Workspace): Promise<number> {
  if (store === 'postgres') return await (await places.postgres()).size(target)
  const db = new Database(target)
  db.pragma('wal_checkpoint(truncate)')
  db.close()
  const folder = dirname(target)
  return readdirSync(folder)
    .filter((file) => file.startsWith(basename(target)))
    .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
}
