import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { postgresPrograms, startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'
import { startServeProcess } from './serve-process.ts'
import { startRun } from './test-run.ts'

// a run of its own: starts servers, prints its folder and their process ids, and waits to be killed

const [, , base = '""'] = process.argv
const folder = startRun(JSON.parse(base))

async function postgresPid(): Promise<number> {
  const [program] = postgresPrograms()
  if (program === undefined) throw new Error('there is no Postgres: run npm install')
  const { url } = await startPostgres(program)
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ data: string }>(`select current_setting('data_directory') as data`)
  await client.end()
  return Number(readFileSync(join(rows[0]?.data ?? '', 'postmaster.pid'), 'utf8').split('\n')[0])
}

async function redisPid(isPaused: boolean): Promise<number> {
  const redis = await startRedis()
  const [, pid] = /process_id:(\d+)/.exec(String(await redis.command('INFO', 'server'))) ?? []
  if (isPaused) redis.pause()
  return Number(pid)
}

const serve = startServeProcess({ THROUGHLINE_URL: 'memory:' })
const pids = await Promise.all([redisPid(true), redisPid(false), postgresPid(), serve.then(({ pid }) => pid)])
console.log(JSON.stringify({ folder, pids }))
process.stdin.resume()
