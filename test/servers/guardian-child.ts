import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { postgresPrograms, startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'

// starts servers, says which processes and folders they have, and waits to be killed

const [, , input = '{}'] = process.argv
const { postgres } = JSON.parse(input) as { postgres: boolean }

const [paused, running] = await Promise.all([startRedis(), startRedis()])
for (const redis of [paused, running]) {
  const [, pid] = /process_id:(\d+)/.exec(String(await redis.command('INFO', 'server'))) ?? []
  const [, folder] = (await redis.command('CONFIG', 'GET', 'dir')) as string[]
  console.log(JSON.stringify({ pid: Number(pid), folder }))
}
paused.pause()

const [program] = postgresPrograms()
if (postgres && program !== undefined) {
  const { url } = await startPostgres(program)
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ data: string }>(`select current_setting('data_directory') as data`)
  const data = rows[0]?.data ?? ''
  const [pid] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  console.log(JSON.stringify({ pid: Number(pid), folder: join(data, '..') }))
}
console.log(JSON.stringify('ready'))
process.stdin.resume()
