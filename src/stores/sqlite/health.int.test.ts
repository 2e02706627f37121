import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import openDatabase from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startServer } from '../../../test/servers/http.ts'
import type { Server } from '../../serve.ts'
import { healthReader } from './health.ts'
import { knownSchema } from './migrate.ts'

let folder: string
let file: string
let server: Server
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-health-'))
  file = join(folder, 'sessions.db')
  server = await startServer({ url: `sqlite:${file}` })
  await server.tl.sessions.create({ userId: 'ada' })
  expect(await ready()).toBe(200)
})
afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const ready = async () => (await fetch(`${server.url}/readyz`)).status
const problem = () =>
  server.tl.health().then(
    () => 'none',
    (error: Error) => error.message,
  )

it.each(['session_events', 'memories'])('is unhealthy after %s was dropped by another client', async (table) => {
  const outside = openDatabase(file)
  outside.exec(`drop table ${table}`)
  outside.close()
  expect(await problem()).toContain(`no such table: ${table}`)
  // a check counts for a second
  await expect.poll(ready, { timeout: 10_000 }).toBe(503)
})

it('is unhealthy while it cannot write, and healthy while another process writes', async () => {
  const db = openDatabase(file, { timeout: 5 })
  const health = healthReader(db, file)
  db.pragma('query_only = on')
  expect(health).toThrow(/readonly.*make the file and its folder writable/)
  db.pragma('query_only = off')
  const other = openDatabase(file)
  other.exec('begin immediate')
  expect(health().schema).toBe(knownSchema())
  other.close()
  expect(health().schema).toBe(knownSchema())
  db.close()
})

it('is unhealthy after the file was removed or replaced', async () => {
  const away = join(folder, 'away.db')
  await rename(file, away)
  expect(await problem()).toContain('was removed while it was open')
  // a check counts for a second
  await expect.poll(ready, { timeout: 10_000 }).toBe(503)
  await copyFile(away, file)
  expect(await problem()).toContain('was replaced by another')
  await rm(file)
  await rename(away, file)
  expect(await problem()).toBe('none')
})
