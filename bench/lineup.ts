import { existsSync } from 'node:fs'
import type { Contender, Entrant } from './contender.ts'
import { jsonArray } from './contenders/json-array.ts'
import { memorySessionEntrant } from './contenders/memory-session.ts'
import { rawPostgres } from './contenders/raw-postgres.ts'
import { rawSqlite } from './contenders/raw-sqlite.ts'
import { throughline } from './contenders/throughline.ts'
import { reasonOf } from './measure.ts'
import type { Kind } from './table.ts'
import type { Workspace } from './workspace.ts'

export const STORES = ['sqlite', 'postgres', 'memory'] as const

export type Store = (typeof STORES)[number]

export type Peers = Record<Store, readonly Entrant[]>

export const NO_PEERS: Peers = { sqlite: [], postgres: [], memory: [] }

/** A contender in the tables of a store. */
export interface LineupEntry {
  kind: Exclude<Kind, 'limit'>
  entrant: Entrant
  /** Name of the row that it is compared with. */
  base: string
  /** It answers before fsync, so it takes part only where that makes a difference. */
  relaxed?: true
}

const sqliteUrl = (path: string) => `sqlite:${path}`
const asIs = (url: string) => url

/** Keeps messages only in the process, like the in-memory peer. */
export const MEMORY_SESSION = 'Throughline, memorySession()'

const FULL = 'better-sqlite3, FULL'
const NORMAL = 'better-sqlite3, NORMAL'

const OWN: Record<Store, readonly LineupEntry[]> = {
  sqlite: [
    { kind: 'raw', entrant: rawSqlite(FULL, 'full'), base: FULL },
    { kind: 'throughline', entrant: throughline('Throughline, full', sqliteUrl), base: FULL },
    { kind: 'raw', entrant: rawSqlite(NORMAL, 'normal'), base: NORMAL, relaxed: true },
    {
      kind: 'throughline',
      entrant: throughline('Throughline, relaxed', sqliteUrl, { durability: 'relaxed' }),
      base: NORMAL,
      relaxed: true,
    },
  ],
  postgres: [
    { kind: 'raw', entrant: rawPostgres('pg'), base: 'pg' },
    { kind: 'throughline', entrant: throughline('Throughline', asIs), base: 'pg' },
  ],
  memory: [
    { kind: 'raw', entrant: jsonArray('array of JSON strings'), base: 'array of JSON strings' },
    { kind: 'throughline', entrant: throughline('Throughline', () => 'memory:'), base: 'array of JSON strings' },
    { kind: 'throughline', entrant: memorySessionEntrant(MEMORY_SESSION), base: 'array of JSON strings' },
  ],
}

/** The contenders of a store: raw first, then Throughline, then peers. */
export function lineupOf(store: Store, peers: Peers): readonly LineupEntry[] {
  const base = OWN[store][0]?.base ?? ''
  return [...OWN[store], ...peers[store].map((entrant) => ({ kind: 'peer' as const, entrant, base }))]
}

/** The same without those that answer before fsync. */
export function durableLineup(store: Store, peers: Peers): LineupEntry[] {
  return lineupOf(store, peers).filter(({ relaxed }) => relaxed !== true)
}

/** The caveat of a contender; one that answers before fsync is compared with raw in the same mode. */
export function caveatOf({ caveat }: Contender, store: Store): { caveat?: string; base?: string } {
  if (caveat === undefined) return {}
  return { caveat, ...(store === 'sqlite' && answersBeforeFsync(caveat) && { base: NORMAL }) }
}

export function answersBeforeFsync(caveat: string): boolean {
  return caveat.includes('before fsync')
}

/** A new file or database for a contender; for Throughline on Postgres, one with the schema of its owner. */
export async function targetOf(store: Store, seat: LineupEntry, places: Workspace): Promise<string> {
  if (store === 'memory') return ''
  if (store === 'sqlite') return places.file()
  const databases = await places.postgres()
  return seat.kind === 'throughline' ? await databases.served() : await databases.empty()
}

/** Loads the peers if they are installed; prints the reason if not. */
export async function loadPeers(): Promise<Peers> {
  // a variable, because the compiler of the main package cannot resolve peers
  const place = './peers/index.ts'
  if (!existsSync(new URL('./node_modules', import.meta.url))) {
    console.log('Peers are left out: they are not installed (npm run bench installs them).')
    return NO_PEERS
  }
  try {
    return ((await import(place)) as { PEERS: Peers }).PEERS
  } catch (error) {
    console.log(`Peers are left out: ${reasonOf(error)}`)
    return NO_PEERS
  }
}
