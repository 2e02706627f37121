import { existsSync } from 'node:fs'
import { targetOf } from '../../open/target.ts'
import { type ConnectionFailure, examinePostgres, type PostgresFacts } from '../../stores/postgres/index.ts'
import type { Target } from '../target.ts'
import { checkCache } from './cache.ts'
import { type Check, errorMessage, fail, ok } from './check.ts'
import { checkClock } from './clock.ts'
import { checkFolder } from './disk.ts'
import { checkFileLocation } from './file-location.ts'
import { checkNode } from './node-version.ts'
import {
  checkDatabaseSize,
  checkNotDistributed,
  checkRole,
  checkServerVersion,
  checkTablesExist,
  describeConnectionFailure,
} from './postgres.ts'
import { checkServer } from './server.ts'
import { checkStore } from './store.ts'

/** Checks everything a store needs. Changes nothing, and fails within seconds if nothing answers. */
export async function runChecks(target: Target, now: () => number = Date.now): Promise<Check[]> {
  return [checkNode(), ...(await checkTarget(target, now))]
}

async function checkTarget(target: Target, now: () => number): Promise<Check[]> {
  try {
    const parsed = targetOf(target.url)
    if (parsed.store === 'http') return await checkServer(parsed.url, now)
    if (parsed.store === 'postgres') return await checkPostgres(target, now)
    const extra = target.cache ? [NO_CACHE] : []
    if (parsed.store === 'sqlite') return [...(await checkSqlite(target.url, parsed.path, now)), ...extra]
    return [...(await checkStore(target.url)), ...extra, checkClock(now())]
  } catch (error) {
    return [fail('store', errorMessage(error), 'fix --url or THROUGHLINE_URL'), checkClock(now())]
  }
}

const NO_CACHE = fail(
  'cache',
  'only postgres://… uses a cache; other stores are as fast without one',
  'omit --cache-url',
)

async function checkSqlite(url: string, file: string, now: () => number): Promise<Check[]> {
  const misplaced = checkFileLocation(file)
  if (misplaced !== undefined) return [misplaced, checkClock(now())]
  const { checks, clock } = await checkFolder(file, now)
  const canCreate = checks.every(({ status }) => status !== 'fail')
  const absent = ok('store', `sqlite: no database yet; the first open() creates ${file}`)
  const store = existsSync(file) ? await checkStore(url) : canCreate ? [absent] : []
  return [...store, ...checks, checkClock(now(), clock)]
}

async function checkPostgres({ url, cache }: Target, now: () => number): Promise<Check[]> {
  const [facts, cached] = await Promise.all([
    examine(url, now),
    checkCache(cache ?? process.env['THROUGHLINE_CACHE_URL'] ?? ''),
  ])
  if ('problem' in facts) return [describeConnectionFailure(facts), cached, checkClock(now())]
  const role = checkRole(facts)
  const failure = checkServerVersion(facts) ?? checkTablesExist(facts) ?? checkNotDistributed(facts)
  const store =
    failure !== undefined ? [failure] : role.status === 'fail' ? [] : await checkStore(url, facts.owner ?? '')
  return [
    ...store,
    role,
    cached,
    checkDatabaseSize(facts),
    checkClock(now(), { name: 'the database', time: facts.clock.server, ...facts.clock }),
  ]
}

async function examine(url: string, now: () => number): Promise<PostgresFacts | ConnectionFailure> {
  try {
    return await examinePostgres(url, now)
  } catch (error) {
    // such as a driver that is not installed
    return { problem: errorMessage(error), code: '' }
  }
}
