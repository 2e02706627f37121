import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { message, type Workload } from '../load.ts'
import type { Competitor } from '../measure.ts'
import { appendStatement, rawPostgres } from './raw-postgres.ts'

/** A client looks up its session once; its variables survive the transaction. */
const SCRIPT = `
\\if :found = 0
select id as session from sessions order by id offset :client_id::integer % :sessions::integer limit 1 \\gset
\\set found 1
\\endif
${appendStatement(':session', ':type', ':role', ':content')};
`

/**
 * Postgres's own load generator with the statement of the raw log: the limit of the server, without a driver in Node.
 * @param processes in which the writers are
 */
export async function pgbench(
  program: string,
  url: string,
  { writers, sessions }: Workload,
  { processes, seconds }: { processes: number; seconds: number },
): Promise<Competitor> {
  const log = await rawPostgres('pg').open(url, { connections: 1 })
  for (let i = 0; i < sessions; i++) await log.create()
  await log.close()

  const variables = Object.entries({ found: 0, sessions, ...message(0) })
  const target = new URL(url)
  // other users of the machine see arguments, but not the environment
  const env = { ...process.env, ...(target.password !== '' && { PGPASSWORD: decodeURIComponent(target.password) }) }
  target.password = ''
  const args = [
    ...['--no-vacuum', '--protocol=prepared', '--file=-'],
    ...[`--client=${writers * processes}`, `--jobs=${processes}`, `--time=${seconds}`],
    ...variables.map(([name, value]) => `--define=${name}=${value}`),
    target.href,
  ]
  return {
    name: 'pgbench',
    kind: 'limit',
    base: 'pg',
    async round() {
      const running = promisify(execFile)(program, args, { env })
      running.child.stdin?.end(SCRIPT)
      const { stdout } = await running
      const rate = /^tps = ([\d.]+) \((?:without initial|excluding) connection/m.exec(stdout)?.[1]
      if (rate === undefined) throw new Error(`pgbench told no rate:\n${stdout}`)
      return { perSecond: Number(rate) }
    },
    close: async () => {},
  }
}

/** Debian's, the newest first, else the one on PATH. */
export function pgbenchProgram(): string | undefined {
  const system = '/usr/lib/postgresql'
  const versions = existsSync(system) ? readdirSync(system).sort((a, b) => Number(b) - Number(a)) : []
  const programs = [...versions.map((version) => `${system}/${version}/bin/pgbench`), 'pgbench']
  return programs.find((program) => spawnSync(program, ['--version']).status === 0)
}
