import { SchemaNewerError, SchemaOutdatedError } from '../../domain/errors.ts'
import { ANALYSIS_VERSION } from '../../domain/recall/postings.ts'
import { uuid7 } from '../../ids.ts'
import { openDeps } from '../../open/open.ts'
import type { Store } from '../../ports/store.ts'
import { sqlitePath } from '../target.ts'
import { pluralize } from '../text.ts'
import { type Check, errorMessage, formatDuration } from './check.ts'

/** Milliseconds after which an answer is slow. */
const SLOW_MS = 1000
/** Sessions that are counted at most. */
const COUNT_LIMIT = 1000

/** Opens the store as it is, without its cache, and asks it. Neither makes nor migrates one. */
export async function checkStore(url: string, owner?: string): Promise<Check[]> {
  try {
    const { store, close } = await openReadOnly(url)
    try {
      return await queryStore(store)
    } finally {
      await close()
    }
  } catch (error) {
    return [describeFailure(error, owner)]
  }
}

async function openReadOnly(url: string): Promise<{ store: Store; close(): Promise<void> }> {
  const path = sqlitePath(url)
  if (path !== undefined) {
    // as open() loads it, so that the build makes one file of it and not two
    const { sqliteStore } = await import('../../stores/sqlite/index.ts')
    const store = await sqliteStore({ path, durability: 'full', migrate: false, readonly: true, newId: uuid7 })
    return { store, close: store.close }
  }
  const { deps, close } = await openDeps({ url, cache: '', migrate: false, index: false })
  return { store: deps.store, close }
}

async function queryStore(store: Store): Promise<Check[]> {
  const before = performance.now()
  const { schema, details } = await store.health()
  const took = performance.now() - before
  const kept = store.name === 'memory' ? [] : [await checkIndex(store), ...(await checkImports(store))]
  return [checkStoreHealth(store.name, details, took), ...checkSchema(schema), ...kept]
}

/** What a store says of itself, and how soon. */
export function checkStoreHealth(store: string, said: Readonly<Record<string, string | number>>, took: number): Check {
  // a path can be long, so it comes last; the role has a check of its own
  const { file, role: _role, rights: _rights, ...rest } = said
  const facts = Object.entries(file === undefined ? rest : { ...rest, file }).map(([name, value]) => `${name} ${value}`)
  const found = `${store}: ${[...facts, `answers in ${formatDuration(took)}`].join(', ')}`
  if (took < SLOW_MS) return { name: 'store', status: 'ok', found }
  return { name: 'store', status: 'warn', found, advice: 'look what keeps it, or the way to it, busy' }
}

/** The schema that a store has, if it has one. */
export function checkSchema(schema: number | undefined): Check[] {
  return schema === undefined ? [] : [{ name: 'schema', status: 'ok', found: `version ${schema}` }]
}

/** How far the index of words is behind the logs. */
async function checkIndex({ index }: Store): Promise<Check> {
  const behind = (await index.behind({ version: ANALYSIS_VERSION, limit: COUNT_LIMIT })).length
  if (behind === 0) return { name: 'index', status: 'ok', found: 'has read every log to its end' }
  const found = `has yet to read on in ${behind < COUNT_LIMIT ? '' : 'at least '}${pluralize(behind, 'session')}`
  if (behind < COUNT_LIMIT) return { name: 'index', status: 'ok', found }
  return { name: 'index', status: 'warn', found, advice: 'throughline index, so that recall need not read them itself' }
}

/** What began to come in by an import and is not done; nothing where nothing is. */
async function checkImports({ imports }: Store): Promise<Check[]> {
  const ids = await imports.unfinished({ limit: COUNT_LIMIT })
  const [first] = ids
  if (first === undefined) return []
  const some = pluralize(ids.length, 'session')
  const found = `${ids.length < COUNT_LIMIT ? '' : 'at least '}${some} came in only in part: ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ' …' : ''}`
  const advice = `run the same import again to bring in the rest, or give one up: throughline purge ${first} --yes`
  return [{ name: 'imports', status: 'warn', found, advice }]
}

function describeFailure(error: unknown, owner: string | undefined): Check {
  const found = errorMessage(error)
  if (error instanceof SchemaOutdatedError) return describeOutdatedSchema(error.details, owner)
  if (error instanceof SchemaNewerError) {
    return { name: 'schema', status: 'fail', found, advice: 'npm install throughline@latest' }
  }
  return { name: 'store', status: 'fail', found, advice: adviceFor(found) }
}

/** A file is brought up to date by whoever opens it next, a Postgres only by `migrate`. */
function describeOutdatedSchema(
  { found: version, needed, madeBy }: SchemaOutdatedError['details'],
  owner: string | undefined,
): Check {
  if (madeBy !== undefined) {
    const advice =
      'throughline export with the version that made it, then throughline import into a new database with this version'
    return { name: 'schema', status: 'fail', found: 'an earlier pre-release made this database', advice }
  }
  const found = `${version === 0 ? 'there are no tables of ours' : `version ${version}`}, this version needs ${needed}`
  if (owner !== undefined) {
    return { name: 'schema', status: 'fail', found, advice: `throughline migrate, as the role ${owner}` }
  }
  const advice =
    'throughline migrate, or the next open(), makes what is missing; make sure that this is the right file, and have a backup'
  return { name: 'schema', status: 'warn', found, advice }
}

function adviceFor(problem: string): string {
  if (problem.includes('SQLITE_NOTADB')) return 'name another file with --url, or put the right one back'
  if (problem.includes('SQLITE_CORRUPT')) {
    return 'put a backup back; sqlite3 FILE .recover saves what can still be read'
  }
  if (problem.includes('another program')) return 'name a file of its own with --url'
  if (/no such table|42P01|42883/.test(problem)) return 'tables or functions were dropped by hand: put a backup back'
  if (/SQLITE_CANTOPEN|EACCES|ENOTDIR|EISDIR|SQLITE_READONLY/.test(problem)) {
    return 'make file and folder readable and writable for this user, or name another place with --url'
  }
  return 'look what --url or THROUGHLINE_URL names'
}
