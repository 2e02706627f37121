import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Database, versionOf } from './drivers.ts'
import type { Table } from './table.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** The default file with the figures of the last runs. */
export const RESULTS = join(folder, 'results/latest.json')

/** Machine, time and versions of a run. */
export interface Run {
  at: string
  command: string
  machine: string
  versions: Record<string, string>
}

/** Every table with the time of its run. */
export interface Results {
  runs: Run[]
  tables: (Table & { run: string })[]
}

export function readResults(path: string): Results {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Results) : { runs: [], tables: [] }
}

export function writeResults(path: string, results: Results): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`)
}

/** Replaces older tables with those of a run; tables that it did not measure stay. */
export function mergeResults(results: Results, run: Run, tables: readonly Table[]): Results {
  const same = (a: Table, b: Table) => a.id === b.id && a.store === b.store
  const kept = results.tables.filter((old) => !tables.some((table) => same(old, table)))
  const all = [...kept, ...tables.map((table) => ({ ...table, run: run.at }))]
  const runs = [...results.runs.filter(({ at }) => at !== run.at), run]
  return { runs: runs.filter(({ at }) => all.some((table) => table.run === at)), tables: all }
}

export function describeMachine(): string {
  const [cpu] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpu?.model.trim() ?? 'unknown'}, ${cpus().length} cores, ${memory} GiB, ${type()} ${release()}`
}

/** Versions of all contenders; of servers only those that were started. */
export function readVersions(postgres: string | undefined): Record<string, string> {
  const sqlite = new Database(':memory:')
  const redis = spawnSync('redis-server', ['--version'], { encoding: 'utf8' }).stdout
  const found: Record<string, string | undefined> = {
    Node: process.versions.node,
    SQLite: sqlite.prepare('select sqlite_version()').pluck().get() as string,
    Postgres: postgres,
    Redis: /v=(\S+)/.exec(redis ?? '')?.[1],
    throughline: versionIn(join(folder, '..')),
    ...peerVersions(),
    ...Object.fromEntries(['better-sqlite3', 'pg', 'ioredis'].map((name) => [name, versionOf(name)])),
  }
  sqlite.close()
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

function peerVersions(): Record<string, string | undefined> {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
  }
  const names = Object.keys(dependencies)
  return Object.fromEntries(names.map((name) => [name, versionIn(join(folder, 'node_modules', name))]))
}

function versionIn(packageFolder: string): string | undefined {
  const file = join(packageFolder, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version : undefined
}
