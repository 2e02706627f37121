import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import openDatabase from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandResult, runInProcess } from '../../test/servers/run-cli.ts'
import { temporaryFolder, trackProcess } from '../../test/servers/test-run.ts'
import { ERROR_CODES } from '../domain/errors.ts'
import { open } from '../open/open.ts'

const RUN = fileURLToPath(new URL('./run.ts', import.meta.url))
const SIGNALS = new URL('./signals.ts', import.meta.url)
const BIN = fileURLToPath(new URL('../../bin/throughline.js', import.meta.url))

let remove: () => void
let cwd: string
let temporary: string

beforeEach(() => {
  const { path: folder, ...made } = temporaryFolder('tl-cli-')
  remove = made.remove
  cwd = join(folder, 'project')
  temporary = join(folder, 'tmp')
  mkdirSync(cwd)
  mkdirSync(temporary)
})

afterEach(() => remove())

/** Environment of a person at a pipe: the test runner's own wishes for colour do not count. */
function environment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _f, NO_COLOR: _n, NODE_DEBUG: _d, THROUGHLINE_URL: _u, ...rest } = process.env
  return { ...rest, TMPDIR: temporary, ...extra }
}

function execute(file: string, args: readonly string[], env?: Record<string, string>): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { cwd, env: environment(env) }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? 'unknown'), stdout, stderr })
    })
    trackProcess(child)
  })
}

const throughline = (args: readonly string[], env?: Record<string, string>) =>
  execute(process.execPath, [RUN, ...args], env)

/** For commands that need no process of their own, which takes half a second of a core to start. */
const here = (args: readonly string[]) => runInProcess(args, cwd)

/** A store with two sessions, each of them with one turn. Gives their ids. */
async function madeStore(url: string): Promise<[string, string]> {
  const tl = await open(url)
  const ids: string[] = []
  for (const userId of ['ada', 'grace']) {
    const session = await tl.sessions.create({ userId })
    await session.append({ type: 'user_message', content: 'Hello' })
    await session.append({ type: 'model_message', content: 'Hello, who is it?' })
    ids.push(session.id)
  }
  await tl.close()
  return ids as [string, string]
}

function damage(file: string, sql: string, ...values: string[]): void {
  const db = openDatabase(file)
  db.prepare(sql).run(...values)
  db.close()
}

describe('the command line', () => {
  it('lists its commands, global options and every error code in --help', async () => {
    const { code, stdout } = await throughline(['--help'])
    expect(code).toBe(0)
    const listed = [...stdout.matchAll(/^ {2}(\S.*?) {2,}[a-z]/gm)].map(([, term]) => term)
    const commands = [
      'demo',
      'doctor',
      'migrate',
      'resume [options] <conversation>',
      'compact [options] <session>',
      'sweep',
      'recall [options] <query>',
      'memory',
      'index [options]',
      'verify [session]',
      'rebuild [session]',
      'backfill [options]',
      'rollback [options]',
      'warm [options]',
      'export [options] [session]',
      'import [options] [files...]',
      'intake',
    ]
    const options = ['-v, --version', '--url <target>', '--cache-url <url>', '--json', '-h, --help']
    expect(listed).toEqual(expect.arrayContaining([...options, ...commands]))
    for (const error of ERROR_CODES) expect(stdout).toContain(error)
  })

  it('prints the version of the package', async () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    expect((await throughline(['--version'])).stdout.trim()).toBe((JSON.parse(manifest) as { version: string }).version)
  })

  it('suggests the nearest command and exits with 2', async () => {
    const { code, stdout, stderr } = await here(['verfy'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^error VALIDATION: unknown command 'verfy' .*verify\?.*--help\n$/)
  })

  it('reports errors as JSON with --json in any position', async () => {
    for (const args of [['--json', 'verfy'], ['verify', 'a', 'b', '--json'], ['--json']]) {
      const { code, stderr } = await here(args)
      expect(code).toBe(2)
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'VALIDATION', details: {} } })
    }
  })

  it('never prints the password of a target', async () => {
    for (const name of ['doctor', 'verify']) {
      const { code, stdout, stderr } = await here([name, '--url', 'mysql://ada:secret@host/db'])
      expect(code).not.toBe(0)
      expect(stdout + stderr).toContain('mysql:')
      expect(stdout + stderr).not.toContain('secret')
    }
  })

  it('prints colors only if they are wanted', async () => {
    for (const env of [{}, { NO_COLOR: '1' }]) {
      const { stdout } = await throughline(['demo'], env)
      expect(stripVTControlCharacters(stdout)).toBe(stdout)
    }
    const { stdout } = await throughline(['doctor'], { FORCE_COLOR: '1' })
    expect(stripVTControlCharacters(stdout)).not.toBe(stdout)
  })

  it('exits silently with 0 and cleans up when the reader of a pipe stops', async () => {
    const script = '{ "$0" "$1" demo; echo $? > code; } | head -1'
    const { stdout, stderr } = await execute('sh', ['-c', script, process.execPath, RUN])
    expect(stdout.split('\n')).toHaveLength(2)
    expect(stderr).toBe('')
    expect(readFileSync(join(cwd, 'code'), 'utf8').trim()).toBe('0')
    expect(readdirSync(temporary)).toEqual([])
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('exits on %s with %i', async (signal, code) => {
    const waiting = `import { exitOnSignals } from '${SIGNALS}'; exitOnSignals(); setInterval(() => {}, 1e6); console.log('ready')`
    const child = trackProcess(spawn(process.execPath, ['--input-type=module', '-e', waiting], { env: environment() }))
    await once(child.stdout, 'data')
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([code, null])
  })
})

describe('bin/throughline.js', () => {
  it('tells an old Node.js which version it needs', async () => {
    const old = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.11.0" } })'
    const { code, stderr } = await execute(process.execPath, ['--import', `data:text/javascript,${old}`, BIN, 'demo'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^throughline needs Node.js 22.12 or newer, and this is 22.11.0.\n.*nodejs.org.*\n$/)
  })

  it('says that it must be built first', async () => {
    mkdirSync(join(cwd, 'bin'))
    copyFileSync(BIN, join(cwd, 'bin/throughline.js'))
    writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
    const { code, stderr } = await execute(process.execPath, ['bin/throughline.js'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'throughline is not built yet: run npm run build\n' })
  })
})

describe('demo', () => {
  it('walks to the end in 80 columns and some 70 lines, and touches nothing of the user', async () => {
    const { code, stdout, stderr } = await throughline(['demo'], { THROUGHLINE_URL: `sqlite:${cwd}/mine.db` })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const turn of [1, 2, 3, 4, 5]) expect(stdout).toContain(` Turn ${turn} `)
    expect(stdout).toContain('What to try next')
    const lines = stdout.split('\n').filter((line) => !line.includes(temporary))
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines.length).toBeLessThan(75)
    expect([...readdirSync(cwd), ...readdirSync(temporary)]).toEqual([])
  })

  it('tells the five turns of one conversation as JSON', async () => {
    const { code, stdout } = await here(['demo', '--json'])
    expect(code).toBe(0)
    const { turns } = JSON.parse(stdout) as { turns: { events: { type: string }[] }[] }
    expect(turns).toMatchObject([
      { user: 'Add retry logic to the connect function', action: 'started', states: ['running', 'awaiting_user'] },
      { intent: 'response', action: 'answer', states: ['running', 'pending_complete'] },
      { intent: 'modification', action: 'continue', states: ['running', 'pending_complete'] },
      { intent: 'confirmation', action: 'complete', states: ['complete'], commit: { range: { from: 1, to: 20 } } },
      { intent: 'new_task', action: 'started', states: ['running'], context: [{}, { role: 'system' }, {}] },
    ])
    expect(turns.map(({ events }) => events.length)).toEqual([5, 6, 6, 4, 2])
    const [, , , fourth, fifth] = turns as unknown as [
      never,
      never,
      never,
      { commit: { summary: string; commands: unknown } },
      { context: { content: string }[] },
    ]
    expect(fourth.commit.commands).toEqual([{ command: 'npm test', exitCode: 0 }])
    expect(fifth.context[1]?.content).toContain(fourth.commit.summary)
  })

  it('looks at the log underneath', async () => {
    const { log } = JSON.parse((await here(['demo', '--json'])).stdout) as { log: unknown }
    expect(log).toMatchObject({
      at: { sequence: 5, state: 'awaiting_user' },
      fork: { state: 'running' },
      refused: 'SESSION_ENDED',
      crowd: { writers: 50, first: 3, last: 52, gaps: 0 },
      retry: { sequences: [53, 53] },
      verify: { sessions: 3, differences: 0 },
    })
  })

  it('takes its temporary store away when its terminal is closed', async () => {
    const closed = `const write = process.stdout.write.bind(process.stdout)
      process.stdout.write = (text) => {
        if (text.includes(' Turn 2 ')) process.kill(process.pid, 'SIGHUP')
        return write(text)
      }`
    const preload = `data:text/javascript,${encodeURIComponent(closed)}`
    const { code, stdout } = await execute(process.execPath, ['--import', preload, RUN, 'demo'])
    expect(code).toBe(129)
    expect(stdout).toContain(`removed at the end: ${temporary}`)
    expect(stdout).not.toContain('What to try next')
    expect(readdirSync(temporary)).toEqual([])
  })

  it('uses the store that --url names, and keeps it, also when it is run again', async () => {
    for (let i = 0; i < 2; i++) {
      const { code, stdout } = await here(['demo', '--url', 'sqlite:kept.db'])
      expect(code).toBe(0)
      expect(stdout).toMatch(/npx throughline verify .*\n +\(with the same --url\)\n$/)
    }
    const { stdout } = await here(['verify', '--json', '--url', 'sqlite:kept.db'])
    expect(JSON.parse(stdout)).toMatchObject({ sessions: 6, differences: [] })
  })
})

describe('verify and rebuild', () => {
  it('find damage, repair it, and then find none', async () => {
    const [first, second] = await madeStore(`sqlite:${cwd}/a.db`)
    const run = (...args: string[]) => here([...args, '--url', 'sqlite:a.db'])
    expect((await run('verify')).stdout).toMatch(/^ok {2}2 sessions, 6 events/)
    damage(join(cwd, 'a.db'), 'update sessions set turns = 99 where id = ?', second)

    const found = await run('verify')
    expect(found.code).toBe(7)
    expect(found.stdout).toMatch(new RegExp(`^${second} +record\\.turns +1 +99$`, 'm'))
    expect(found.stdout).toContain('1 difference in 1 of 2 sessions, 6 events')
    expect((await run('verify', first)).code).toBe(0)
    const data = await run('verify', second, '--json')
    expect(data.code).toBe(7)
    const differences = [{ sessionId: second, field: 'record.turns', expected: 1, actual: 99 }]
    expect(JSON.parse(data.stdout)).toEqual({ sessions: 1, events: 3, differences })

    const repaired = await run('rebuild')
    expect(repaired.code).toBe(0)
    expect(repaired.stdout).toBe(`repaired 1 of 2 sessions, 6 events:\n  ${second}\n`)
    expect((await run('verify')).code).toBe(0)
    expect(JSON.parse((await run('rebuild', '--json')).stdout)).toEqual({ sessions: 2, events: 6, repaired: [] })
  })

  it('tell a damaged log from damaged views', async () => {
    const [first] = await madeStore(`sqlite:${cwd}/a.db`)
    damage(join(cwd, 'a.db'), 'drop trigger session_events_no_delete')
    damage(join(cwd, 'a.db'), 'delete from session_events where session_id = ? and sequence = 2', first)
    const { code, stdout } = await here(['verify', first, '--url', 'sqlite:a.db'])
    expect(code).toBe(7)
    expect(stdout).toMatch(new RegExp(`^${first} +log +2 +3$`, 'm'))
    expect(stdout).toContain('restore a backup')
  })

  it('refuse a session that does not exist with 3', async () => {
    await madeStore(`sqlite:${cwd}/a.db`)
    for (const command of ['verify', 'rebuild']) {
      const { code, stderr } = await here([command, 'nobody', '--url', 'sqlite:a.db'])
      expect({ code, stderr }).toEqual({
        code: 3,
        stderr: expect.stringContaining('SESSION_NOT_FOUND: session nobody does'),
      })
    }
  })

  it('refuse a missing store with 5, and do not create it', async () => {
    for (const command of ['verify', 'rebuild']) {
      const { code, stderr } = await here([command])
      expect(code).toBe(5)
      expect(stderr).toContain("error STORAGE: sqlite: no database at '.throughline/sessions.db'")
      expect(existsSync(join(cwd, '.throughline'))).toBe(false)
    }
  })
})
