import { existsSync } from 'node:fs'
import { targetOf } from '../../open/target.ts'
import { examinePostgres, type PostgresFacts, type Unreached } from '../../stores/postgres/index.ts'
import type { Target } from '../target.ts'
import { checkCache } from './cache.ts'
import { type Check, errorMessage } from './check.ts'
import { checkClock } from './clock.ts'
import { checkFolder } from './disk.ts'
import { checkFileLocation } from './file-location.ts'
import { checkNode } from './node-version.ts'
import {
  checkDatabaseSize,
  checkRole,
  checkServerVersion,
  checkTablesExist,
  describeConnectionFailure,
} from './postgres.ts'
import { checkServer } from './server.ts'
import { checkStore } from './store.ts'

/** Looks at all that a store needs. Makes and changes nothing, and fails within seconds where nothing answers. */
export async function runChecks(target: Target, now: () => number = Date.now): Promise<Check[]> {
  return [checkNode(), ...(await checkTarget(target, now))]
}

async function checkTarget(target: Target, now: () => number): Promise<Check[]> {
  try {
    const where = targetOf(target.url)
    if (where.store === 'http') return await checkServer(where.url, now)
    if (where.store === 'postgres') return await checkPostgres(target, now)
    const extra = target.cache ? [{ name: 'cache', status: 'fail', ...NO_CACHE } as const] : []
    if (where.store === 'sqlite') return [...(await checkSqlite(target.url, where.path, now)), ...extra]
    return [...(await checkStore(target.url)), ...extra, checkClock(now())]
  } catch (error) {
    const advice = 'correct --url or THROUGHLINE_URL'
    return [{ name: 'store', status: 'fail', found: errorMessage(error), advice }, checkClock(now())]
  }
}

const NO_CACHE = {
  found: 'a cache goes with postgres://… only: other stores are as quick without one',
  advice: 'leave --cache-url out',
}

async function checkSqlite(url: string, file: string, now: () => number): Promise<Check[]> {
  const misplaced = checkFileLocation(file)
  if (misplaced !== undefined) return [misplaced, checkClock(now())]
  const { checks, clock } = await checkFolder(file, now)
  const canBeMade = checks.every(({ status }) => status !== 'fail')
  const absent: Check = { name: 'store', status: 'ok', found: `sqlite: not made yet; the first open() makes ${file}` }
  const opened = existsSync(file) ? await checkStore(url) : canBeMade ? [absent] : []
  return [...opened, ...checks, checkClock(now(), clock)]
}

async function checkPostgres({ url, cache }: Target, now: () => number): Promise<Check[]> {
  const [facts, cached] = await Promise.all([
    examine(url, now),
    checkCache(cache ?? process.env['THROUGHLINE_CACHE_URL'] ?? ''),
  ])
  if ('problem' in facts) return [describeConnectionFailure(facts), cached, checkClock(now())]
  const role = checkRole(facts)
  const wrong = checkServerVersion(facts) ?? checkTablesExist(facts)
  const opened = wrong !== undefined ? [wrong] : role.status === 'fail' ? [] : await checkStore(url, facts.owner ?? '')
  return [
    ...opened,
    role,
    cached,
    checkDatabaseSize(facts),
    checkClock(now(), { name: 'the database', time: facts.clock.there, ...facts.clock }),
  ]
}

async function examine(url: string, now: () => number): Promise<PostgresFacts | Unreached> {
  try {
    return await examinePostgres(url, now)
  } catch (error) {
    // the driver is not installed
    return { problem: errorMessage(error), code: '' }
  }
}
