import { existsSync } from 'node:fs'
import { targetOf } from '../../open/target.ts'
import { examinePostgres, type PostgresFacts, type Unreached } from '../../stores/postgres/index.ts'
import type { Target } from '../target.ts'
import { cacheCheck } from './cache.ts'
import { type Check, problemIn } from './check.ts'
import { clockCheck } from './clock.ts'
import { folderChecks } from './disk.ts'
import { nodeCheck } from './machine.ts'
import { misplacedCheck } from './place.ts'
import { absentCheck, roleCheck, serverCheck, sizeCheck, unreachedCheck } from './postgres.ts'
import { serverChecks } from './server.ts'
import { openedChecks } from './store.ts'

/** Looks at all that a store needs. Makes and changes nothing, and fails within seconds where nothing answers. */
export async function examine(target: Target, now: () => number = Date.now): Promise<Check[]> {
  return [nodeCheck(), ...(await targetChecks(target, now))]
}

async function targetChecks(target: Target, now: () => number): Promise<Check[]> {
  try {
    const where = targetOf(target.url)
    if (where.store === 'http') return await serverChecks(where.url, now)
    if (where.store === 'postgres') return await postgresChecks(target, now)
    const extra = target.cache ? [{ name: 'cache', status: 'fail', ...NO_CACHE } as const] : []
    if (where.store === 'sqlite') return [...(await fileChecks(target.url, where.path, now)), ...extra]
    return [...(await openedChecks(target.url)), ...extra, clockCheck(now())]
  } catch (error) {
    const advice = 'correct --url or THROUGHLINE_URL'
    return [{ name: 'store', status: 'fail', found: problemIn(error), advice }, clockCheck(now())]
  }
}

const NO_CACHE = {
  found: 'a cache goes with postgres://… only: other stores are as quick without one',
  advice: 'leave --cache-url out',
}

async function fileChecks(url: string, file: string, now: () => number): Promise<Check[]> {
  const misplaced = misplacedCheck(file)
  if (misplaced !== undefined) return [misplaced, clockCheck(now())]
  const { checks, clock } = await folderChecks(file, now)
  const canBeMade = checks.every(({ status }) => status !== 'fail')
  const absent: Check = { name: 'store', status: 'ok', found: `sqlite: not made yet; the first open() makes ${file}` }
  const opened = existsSync(file) ? await openedChecks(url) : canBeMade ? [absent] : []
  return [...opened, ...checks, clockCheck(now(), clock)]
}

async function postgresChecks({ url, cache }: Target, now: () => number): Promise<Check[]> {
  const [facts, cached] = await Promise.all([
    examined(url, now),
    cacheCheck(cache ?? process.env['THROUGHLINE_CACHE_URL'] ?? ''),
  ])
  if ('problem' in facts) return [unreachedCheck(facts), cached, clockCheck(now())]
  const role = roleCheck(facts)
  const wrong = serverCheck(facts) ?? absentCheck(facts)
  const opened =
    wrong !== undefined ? [wrong] : role.status === 'fail' ? [] : await openedChecks(url, facts.owner ?? '')
  return [...opened, role, cached, sizeCheck(facts), clockCheck(now(), { whose: 'the database', ...facts.clock })]
}

async function examined(url: string, now: () => number): Promise<PostgresFacts | Unreached> {
  try {
    return await examinePostgres(url, now)
  } catch (error) {
    // the driver is not installed
    return { problem: problemIn(error), code: '' }
  }
}
