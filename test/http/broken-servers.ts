import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Admission, DEFAULT_LIMITS } from '../../src/http/admission.ts'
import { appOn } from '../../src/http/app.ts'
import { serverLog } from '../../src/http/log.ts'
import type { Route } from '../../src/http/route.ts'
import { httpMetrics, newRegistry } from '../../src/metrics/http.ts'
import { openDeps } from '../../src/open/open.ts'
import { fillLegacy } from '../servers/legacy-data.ts'

/** A new folder, with the database of an older system in it. */
export async function createLegacyFolder(): Promise<{ folder: string; legacy: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-http-'))
  const legacy = `sqlite:${folder}/legacy.db`
  await fillLegacy(legacy, { sessions: 1 })
  return { folder, legacy }
}

/** Whether the route works on the cache, which only Postgres has. */
export function usesCache({ operation }: Route): boolean {
  return operation === 'warmEnvelopes' || operation === 'cachedEnvelopes'
}

/** Drops every table of a file that is open elsewhere. */
export function dropTables(path: string): void {
  const db = new Database(path)
  try {
    db.pragma('foreign_keys = off')
    const names = db.prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'").pluck()
    for (const name of names.all()) db.exec(`drop table if exists "${name}"`)
  } finally {
    db.close()
  }
}

/** A server that fails unexpectedly at every request. */
export async function startBrokenServer(): Promise<{ url: string; words: string; close(): Promise<void> }> {
  const words = 'words that are nobody’s business'
  const { deps, close } = await openDeps({ url: 'memory:', index: false })
  const registry = newRegistry()
  const app = await appOn({
    deps,
    authenticator: {
      callerOf() {
        throw new RangeError(words)
      },
    },
    limits: DEFAULT_LIMITS,
    admission: new Admission(DEFAULT_LIMITS),
    metrics: httpMetrics(registry),
    log: serverLog('silent'),
    version: '0.0.0',
    registry,
    stopping: new AbortController().signal,
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { url, words, close: () => app.close().then(close) }
}
