import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Session, Throughline } from '../../src/api.ts'
import { displayWidth } from '../../src/cli/display-width.ts'
import { open } from '../../src/open/open.ts'
import { isProving, printFigure } from '../proof.ts'
import { answer, type ScriptedServer, startScriptedServer, type Turn } from '../servers/scripted-http.ts'
import { isRunning, temporaryFolder, trackProcess } from '../servers/test-run.ts'
import { atTerminal, CTRL_C, CTRL_D, closeTerminals, commandLine, environment } from './terminal.ts'

let cwd: string
let remove: () => void
let tl: Throughline
let env: Record<string, string>
beforeAll(async () => {
  ;({ path: cwd, remove } = temporaryFolder('tl-terminal-'))
  env = { THROUGHLINE_URL: `sqlite:${cwd}/a.db` }
  tl = await open({ url: env['THROUGHLINE_URL'] ?? '', index: false })
  await liveSession('日本語のタスク、とても長い名前の '.repeat(3))
})
afterAll(async () => {
  await tl.close()
  remove()
})
afterEach(closeTerminals)

/** A live session of five events. */
async function liveSession(task = 'Plan the trip'): Promise<Session> {
  const session = await tl.sessions.create({ userId: 'ada', task })
  for (let i = 2; i <= 5; i++) await session.append({ type: 'user_message', content: `message ${i}` })
  return session
}

/** What the shell sees of a command that has no terminal. */
function withoutTerminal(command: string, extra: Record<string, string> = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd, env: environment({ ...env, ...extra }) }
    const child = execFile('sh', ['-c', command], options, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr })
    })
    trackProcess(child)
  })
}

const isPlain = (text: string) => stripVTControlCharacters(text) === text

describe('a terminal', () => {
  it('of 40 columns gets no wider line, in color, with whole ids', async () => {
    const { id } = await liveSession()
    const commands = [['sessions'], ['show', id], ['doctor']]
    const ended = await Promise.all(commands.map((args) => atTerminal(args, { columns: 40, env, cwd }).ended))
    for (const { code, text } of ended) {
      expect(code).toBe(0)
      expect(isPlain(text)).toBe(false)
      const lines = stripVTControlCharacters(text).split('\n')
      // a word that has no room, such as a path, is better whole
      expect(lines.filter((line) => displayWidth(line) > 40 && line.trim().includes(' '))).toEqual([])
    }
    for (const { text } of ended.slice(0, 2)) {
      expect(stripVTControlCharacters(text)).toMatch(new RegExp(`^ *${id}$`, 'm'))
    }
  })

  it('that is dumb, or NO_COLOR, gets no colors; a pipe gets them with FORCE_COLOR', async () => {
    const [dumb, none, pipe, forced, both] = await Promise.all([
      atTerminal(['sessions'], { env: { ...env, TERM: 'dumb' }, cwd }).ended,
      atTerminal(['sessions'], { env: { ...env, NO_COLOR: '1' }, cwd }).ended,
      withoutTerminal(commandLine(['sessions'])),
      withoutTerminal(commandLine(['sessions']), { FORCE_COLOR: '1' }),
      withoutTerminal(commandLine(['sessions', '--json']), { FORCE_COLOR: '1' }),
    ])
    expect([dumb.text, none.text, pipe.stdout, both.stdout].map(isPlain)).toEqual([true, true, true, true])
    expect(isPlain(forced.stdout)).toBe(false)
    expect(stripVTControlCharacters(forced.stdout)).toBe(pipe.stdout)
  })
})

it('a program that a test leaves running in a terminal ends with the test', async () => {
  const terminal = atTerminal('echo "process $$."; exec sleep 600', { cwd })
  await terminal.until(/process \d+\./)
  const pid = Number(/process (\d+)\./.exec(terminal.shown())?.[1])
  expect(isRunning(pid)).toBe(true)
  await closeTerminals()
  await expect.poll(() => isRunning(pid)).toBe(false)
})

describe('tail', () => {
  it('shows what another process writes, and ends with the session', async () => {
    const session = await liveSession()
    const terminal = atTerminal(['tail', session.id, '--last', '2'], { env, cwd })
    await terminal.until('message 5')
    await session.append({ type: 'model_message', content: 'written meanwhile' })
    await terminal.until('written meanwhile')
    await session.end()
    const { code, text } = await terminal.ended
    expect(code).toBe(0)
    expect(text).toContain('The session has ended (complete).')
    expect(text).not.toContain('message 3')
  })

  it('fails with 3 when the session is purged meanwhile', async () => {
    const { id } = await liveSession()
    const terminal = atTerminal(['tail', id], { env, cwd })
    await terminal.until('message 5')
    await tl.sessions.purge(id)
    const { code, text } = await terminal.ended
    expect(code).toBe(3)
    expect(text).toContain(`error SESSION_NOT_FOUND:`)
  })

  it('exits with 130 on Ctrl-C and 143 on SIGTERM, without output', async () => {
    const { id } = await liveSession()
    const terminal = atTerminal(['tail', id], { env, cwd })
    await terminal.until('message 5')
    terminal.type(CTRL_C)
    const { code, text } = await terminal.ended
    expect(code).toBe(130)
    expect(text.split('message 5')[1]).toMatch(/^\n(\^C)?$/)

    const line = `exec ${commandLine(['tail', id, '--json'])}`
    const child = trackProcess(spawn('sh', ['-c', line], { cwd, env: environment(env) }))
    let errors = ''
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    const ended = once(child, 'close')
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    expect([...(await ended), errors]).toEqual([143, null, ''])
  })

  it('exits with 0 when the reader of its pipe closes, although no event follows', async () => {
    const { id } = await liveSession()
    const tail = commandLine(['tail', id, '--json'])
    const { stdout, stderr } = await withoutTerminal(`{ ${tail}; echo $? > code; } | head -5`)
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).sequence),
    ).toEqual([1, 2, 3, 4, 5])
    expect(stderr).toBe('')
    expect(readFileSync(join(cwd, 'code'), 'utf8')).toBe('0\n')
  })
})

describe('purge', () => {
  it('asks, and continues only after the confirmation was typed', async () => {
    const { id } = await liveSession()
    const isThere = () =>
      tl.sessions.get(id).then(
        () => true,
        () => false,
      )
    const answered = async (typed: string) => {
      const terminal = atTerminal(['purge', id], { env, cwd })
      await terminal.until(`Type ${id.slice(-8)} to confirm: `)
      terminal.type(typed)
      return await terminal.ended
    }
    const [wrong, nothing, interrupted] = await Promise.all([answered('yes\n'), answered(CTRL_D), answered(CTRL_C)])
    expect(wrong.text).toContain(`Session ${id} “Plan the trip” of ada, running, last activity just now: 5 events`)
    expect([wrong.code, nothing.code, interrupted.code]).toEqual([2, 2, 130])
    for (const { text } of [wrong, nothing]) expect(text).toContain('nothing was deleted')
    expect(await isThere()).toBe(true)
    const right = await answered(`${id.slice(-8)}\n`)
    expect(right.code).toBe(0)
    expect(stripVTControlCharacters(right.text)).toContain('purged  1 session, 5 events')
    expect(await isThere()).toBe(false)
  })
})

describe('Ctrl-C in the middle of long work', () => {
  const about = answer(200, { name: 'throughline', agents: ['coach'] })
  const page = (count: number) => answer(200, { items: Array.from({ length: count }, () => someRecord()) })
  const receipt = answer(200, { sessions: 1, events: 1, keys: 0, memories: 0, purgedAt: '2026-03-01T12:00:00.000Z' })
  const someRecord = () => ({ id: crypto.randomUUID(), head: 1, endedAt: '2026-03-01T12:00:00.000Z' })

  async function withServer(work: (server: ScriptedServer) => Promise<void>, ...script: Turn[]): Promise<void> {
    const server = await startScriptedServer({}, ...script)
    try {
      await work(server)
    } finally {
      await server.stop()
    }
  }

  it('clears the progress line of a purge and exits at once', async () => {
    await withServer(
      async (server) => {
        const url = { THROUGHLINE_URL: server.url }
        const terminal = atTerminal(['purge', '--user', 'ada', '--yes'], { columns: 40, env: url, cwd })
        // one session after the other, until the line has appeared; then no answer comes
        const next: Turn = (response, request) => {
          if (request.method === 'DELETE' && terminal.shown().includes('purging')) return terminal.type(CTRL_C)
          server.next(next)
          const turn = request.method === 'DELETE' ? receipt : page(1)
          turn(response, request)
        }
        server.next(next)
        const { code, text } = await terminal.ended
        expect(code).toBe(130)
        const lines = text.split('\r\x1b[K')
        expect(lines.at(-1)).toBe('')
        expect(lines.at(-2)).toMatch(/^ *\d+ % purging: \d+ sessions?(\^C)?$/)
        for (const line of lines) expect(displayWidth(line.replace('^C', ''))).toBeLessThan(40)
      },
      about,
      page(2),
      page(0),
    )
  })

  it('ends a sweep at once', async () => {
    let typed = () => {}
    await withServer(
      async (server) => {
        const terminal = atTerminal(['sweep'], { env: { THROUGHLINE_URL: server.url }, cwd })
        typed = () => terminal.type(CTRL_C)
        const { code, text } = await terminal.ended
        expect(code).toBe(130)
        expect(stripVTControlCharacters(text).replace('^C', '').trim()).toBe('')
      },
      about,
      () => typed(),
    )
  })

  if (isProving)
    it('leaves no session half removed', async () => {
      for (let i = 0; i < 300; i++) {
        const session = await tl.sessions.create({ userId: 'grace' })
        await session.append(Array.from({ length: 20 }, () => ({ type: 'user_message', content: 'Hello' })))
      }
      const terminal = atTerminal(['purge', '--user', 'grace', '--yes'], { env, cwd })
      await terminal.until('purging: ')
      terminal.type(CTRL_C)
      expect((await terminal.ended).code).toBe(130)
      const { items } = await tl.sessions.list({ userId: 'grace', limit: 500 })
      expect(items.length).toBeLessThan(300)
      printFigure(`Ctrl-C left ${items.length} of 300 sessions, each of them whole`)
      const { differences } = await tl.verify()
      expect(differences).toEqual([])
      for (const { head } of items) expect(head).toBe(21)
    })
})
