import { SchemaNewerError, SchemaOutdatedError } from '../../domain/errors.ts'
import { ANALYSIS_VERSION } from '../../domain/recall/postings.ts'
import { uuid7 } from '../../ids.ts'
import { openDeps } from '../../open/open.ts'
import type { Store } from '../../ports/store.ts'
import { sqlitePath } from '../target.ts'
import { pluralize } from '../text.ts'
import { type Check, errorMessage, fail, formatDuration, ok, warn } from './check.ts'

const SLOW_MS = 1000
const COUNT_LIMIT = 1000

const TABLES_DROPPED = 'tables or functions were dropped: restore a backup'
const NO_ACCESS = 'make file and folder readable and writable for this user, or choose another file with --url'

/** Opens an existing store without its cache and queries it. Never creates or migrates one. */
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
    // imported like open() does, so that the build emits one file and not two
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
  const elapsed = performance.now() - before
  const kept = store.name === 'memory' ? [] : [await checkIndex(store), ...(await checkImports(store))]
  return [checkStoreHealth(store.name, details, elapsed), ...checkSchema(schema), ...kept]
}

/** Facts that a store reports, and how fast. */
export function checkStoreHealth(
  store: string,
  details: Readonly<Record<string, string | number>>,
  elapsed: number,
): Check {
  // a path can be long, so it comes last; the role has its own check
  const { file, role: _role, rights: _rights, ...rest } = details
  const facts = Object.entries(file === undefined ? rest : { ...rest, file }).map(([name, value]) => `${name} ${value}`)
  const found = `${store}: ${[...facts, `answers in ${formatDuration(elapsed)}`].join(', ')}`
  if (elapsed < SLOW_MS) return ok('store', found)
  return warn('store', found, 'check the load of the store and the network')
}

/** Schema version of the store, if it has one. */
export function checkSchema(schema: number | undefined): Check[] {
  return schema === undefined ? [] : [ok('schema', `version ${schema}`)]
}

/** How far the search index is behind the logs. */
async function checkIndex({ index }: Store): Promise<Check> {
  const behind = (await index.behind({ version: ANALYSIS_VERSION, limit: COUNT_LIMIT })).length
  if (behind === 0) return ok('index', 'up to date')
  const found = `${behind < COUNT_LIMIT ? '' : 'at least '}${pluralize(behind, 'session')} not indexed yet`
  if (behind < COUNT_LIMIT) return ok('index', found)
  return warn('index', found, 'run throughline index; until then recall is slower')
}

/** Unfinished imports, if there are any. */
async function checkImports({ imports }: Store): Promise<Check[]> {
  const ids = await imports.unfinished({ limit: COUNT_LIMIT })
  const [first] = ids
  if (first === undefined) return []
  const some = pluralize(ids.length, 'session')
  const found = `${ids.length < COUNT_LIMIT ? '' : 'at least '}${some} imported in part: ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ' …' : ''}`
  const advice = `repeat the import to complete it, or delete one: throughline purge ${first} --yes`
  return [warn('imports', found, advice)]
}

function describeFailure(error: unknown, owner: string | undefined): Check {
  const found = errorMessage(error)
  if (error instanceof SchemaOutdatedError) return describeOutdatedSchema(error.details, owner)
  if (error instanceof SchemaNewerError) return fail('schema', found, 'npm install throughline@latest')
  return fail('store', found, adviceFor(error))
}

/** The next `open()` migrates a SQLite file; Postgres needs `migrate`. */
function describeOutdatedSchema(
  { found: version, needed, madeBy }: SchemaOutdatedError['details'],
  owner: string | undefined,
): Check {
  if (madeBy !== undefined) {
    const advice = 'export it with the version that created it, then import into a new database with throughline import'
    return fail('schema', 'created by an earlier pre-release', advice)
  }
  const found = `${version === 0 ? 'no Throughline tables' : `version ${version}`}; this package needs version ${needed}`
  if (owner !== undefined) return fail('schema', found, `run throughline migrate as the role ${owner}`)
  const advice =
    'check that this is the right file and make a backup, then run throughline migrate (the next open() does it too)'
  return warn('schema', found, advice)
}

/** Advice by the code of the driver's error. */
const ADVICE: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'choose another file with --url, or restore the right one',
  SQLITE_CORRUPT: 'restore a backup; sqlite3 FILE .recover saves what is still readable',
  // SQLite has no code of its own for a missing table
  SQLITE_ERROR: TABLES_DROPPED,
  '42P01': TABLES_DROPPED,
  '42883': TABLES_DROPPED,
  SQLITE_CANTOPEN: NO_ACCESS,
  SQLITE_READONLY: NO_ACCESS,
  EACCES: NO_ACCESS,
  ENOTDIR: NO_ACCESS,
  EISDIR: NO_ACCESS,
}

function adviceFor(error: unknown): string {
  const code = String(((error as Error).cause as { code?: unknown } | undefined)?.code)
  // extended codes of SQLite: SQLITE_CANTOPEN_ISDIR
  return ADVICE[code] ?? ADVICE[code.split('_', 2).join('_')] ?? 'check --url or THROUGHLINE_URL'
}
