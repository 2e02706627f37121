import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { isProving } from '../proof.ts'
import { type Databases, databasesOf, OWNER, SERVING, type TestDatabase } from '../servers/database.ts'
import { operatorToken, SECRET } from '../servers/http.ts'
import { fillLegacy } from '../servers/legacy-data.ts'
import { type RedisServer, startRedis } from '../servers/redis.ts'
import { type CommandResult, runInProcess } from '../servers/run-cli.ts'
import { type ServeProcess, startServeProcess } from '../servers/serve-process.ts'
import { temporaryFolder, trackProcess } from '../servers/test-run.ts'
import { missingCommands } from './commands.ts'
import { type Run, type Step, type TourTarget, takeTour } from './tour.ts'

const CLI = fileURLToPath(new URL('../../src/cli/run.ts', import.meta.url))
const TRANSCRIPT = fileURLToPath(new URL('../data/claude-code', import.meta.url))

/** Where the terminal session is to be written, for docs/terminal-session.md. */
const OUT = process.env['THROUGHLINE_TOUR']

const DOCUMENTS = [
  { id: 'faiss-1', content: 'The test runner of this project is vitest', category: 'facts', score: 0.9 },
  { id: 'faiss-2', content: 'Ada likes short answers', category: 'preferences', score: 0.8 },
]

let databases: Databases
let database: TestDatabase
let redis: RedisServer
let server: ServeProcess
let folder: string
let remove: () => void
beforeAll(async () => {
  ;({ path: folder, remove } = temporaryFolder('tl-tour-'))
  writeFileSync(join(folder, 'documents.jsonl'), DOCUMENTS.map((one) => JSON.stringify(one)).join('\n'))
  await fillLegacy(`sqlite:${folder}/old.db`, { sessions: 3 })
  databases = await databasesOf(inject('postgres')[0]?.url ?? '')
  database = await databases.create()
  redis = await startRedis()
  server = await startServeProcess({
    THROUGHLINE_URL: `sqlite:${folder}/served.db`,
    THROUGHLINE_JWT_SECRET: SECRET,
    THROUGHLINE_CACHE_URL: '',
  })
})
afterAll(async () => {
  server.stop()
  await server.ended
  await redis.stop()
  await database.destroy()
  await databases.close()
  remove()
})

/** The targets, each with the environment that names it. */
const TARGETS: Record<string, () => Promise<{ env: Record<string, string>; cached: boolean }>> = {
  SQLite: async () => ({ env: { THROUGHLINE_URL: `sqlite:${folder}/sessions.db` }, cached: false }),
  'Postgres behind Redis': async () => ({
    env: { THROUGHLINE_URL: database.url(SERVING), THROUGHLINE_CACHE_URL: redis.url },
    cached: true,
  }),
  'a server': async () => ({
    env: { THROUGHLINE_URL: server.url, THROUGHLINE_TOKEN: await operatorToken() },
    cached: false,
  }),
}

function runnerFor(env: Record<string, string>): Run {
  // as the role that owns the tables; the others run as the one that serves
  const ownerEnv = env['THROUGHLINE_URL']?.startsWith('postgres') ? { THROUGHLINE_URL: database.url(OWNER) } : {}
  return (args) => {
    const all = { COLUMNS: '100', NO_COLOR: '1', ...env, ...(args[0] === 'migrate' && ownerEnv) }
    return isProving ? inProcess(args, all) : runInProcess(args, folder, all)
  }
}

function inProcess(args: readonly string[], env: Record<string, string>): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = {
      cwd: folder,
      env: { ...process.env, FORCE_COLOR: undefined, ...env },
      maxBuffer: 64 * 1024 * 1024,
    }
    const child = execFile(process.execPath, [CLI, ...args], options, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 'killed', stdout, stderr })
    })
    trackProcess(child)
  })
}

const shown: string[] = []

describe.each(Object.keys(TARGETS))('every command on %s', (name) => {
  it.each([false, true])('exits with the expected code; as JSON: %s', { timeout: 300_000 }, async (json) => {
    const { env, cached } = (await TARGETS[name]?.()) ?? { env: {}, cached: false }
    const place: TourTarget = {
      url: env['THROUGHLINE_URL'] ?? '',
      documents: 'documents.jsonl',
      transcript: TRANSCRIPT,
      transcribed: '00000001-0000-4000-8000-000000000001',
      legacy: `sqlite:${folder}/old.db`,
      folder: '.',
      cached,
    }
    // what the tour before purged would stay out of the cache for a while
    await redis.command('flushall')
    const steps = await takeTour(runnerFor(env), place, json)
    if (!json) shown.push(session(name, place, steps))
    for (const { args, code, expected, stderr, stdout } of steps) {
      expect({ args, code, said: code === expected ? '' : stderr || stdout }).toEqual({
        args,
        code: expected,
        said: '',
      })
      if (json)
        expect(
          () => parsed(code === 0 || stdout !== '' ? stdout : stderr),
          `${args.join(' ')}: ${stdout}`,
        ).not.toThrow()
    }
    expect(missingCommands(steps.map(({ args }) => args))).toEqual([])
  })
})

afterAll(() => {
  if (OUT !== undefined) writeFileSync(OUT, `${HEAD}\n\n${shown.join('\n\n')}\n`)
})

/** One JSON value, or one a line. */
function parsed(text: string): unknown[] {
  expect(text).not.toBe('')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

const HEAD = `# A terminal session

See what every command prints on SQLite, on Postgres behind Redis and on a server.
[The command line](cli.md) explains each command.
This page is a recording: \`THROUGHLINE_TOUR=docs/terminal-session.md npm run prove -- test/tour\` makes a new one.`

/** What someone at a terminal would have seen. */
function session(name: string, { url }: TourTarget, steps: readonly Step[]): string {
  const clean = (text: string) =>
    text.replaceAll(folder, '.').replaceAll(TRANSCRIPT, 'transcripts').replaceAll(url, '$THROUGHLINE_URL')
  const lines = steps.flatMap(({ args, code, stdout, stderr }) => [
    `$ throughline ${args.map((arg) => (/[\s'"]/.test(arg) ? JSON.stringify(arg) : arg)).join(' ')}`,
    ...[stdout, stderr].filter((text) => text !== '').map((text) => text.trimEnd()),
    ...(code === 0 ? [] : [`(exit code ${code})`]),
    '',
  ])
  return `## On ${name}\n\n\`\`\`console\n${clean(lines.join('\n')).trimEnd()}\n\`\`\``
}
