import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import openDatabase from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runInProcess } from '../../test/servers/run-cli.ts'
import type { Session } from '../api.ts'
import { open } from '../open/open.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'tl-life-'))
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

const run = (args: readonly string[], extra: Record<string, string> = {}) =>
  runInProcess(args, cwd, { THROUGHLINE_URL: `sqlite:${cwd}/a.db`, ...extra })

/** A session in the conversation `c` that Ada began so long ago, and what is done with it then. Gives its id. */
async function began(ago: number, then: (session: Session) => Promise<unknown>, conversationId = 'c'): Promise<string> {
  const tl = await open({ url: `sqlite:${cwd}/a.db`, clock: { now: () => Date.now() - ago } })
  const session = await tl.sessions.create({ userId: 'ada', conversationId, task: 'Add retries' })
  await then(session)
  await tl.close()
  return session.id
}

async function stateOf(id: string): Promise<string> {
  const tl = await open(`sqlite:${cwd}/a.db`)
  const { status } = await (await tl.sessions.get(id)).record()
  await tl.close()
  return status.state
}

const resume = (...args: string[]) => run(['resume', 'c', '--user', 'ada', ...args])

describe('resume', () => {
  it('prints what to tell the user, and the session', async () => {
    const id = await began(HOUR, (session) => session.ask('Which one?\n  A) this\n  B) that'))
    const { code, stdout } = await resume()
    expect(code).toBe(0)
    expect(stdout).toBe(
      `Before we continue, I still need your answer:\n\nWhich one?\n  A) this\n  B) that\n\nplan ask_again, session ${id}\n`,
    )
    expect(JSON.parse((await resume('--json')).stdout)).toEqual({
      plan: 'ask_again',
      sessionId: id,
      say: 'Before we continue, I still need your answer:\n\nWhich one?\n  A) this\n  B) that',
    })
  })

  it('names an empty option or argument', async () => {
    await began(HOUR, (session) => session.ask('Which one?'))
    for (const [args, said] of [
      [['resume', '', '--user', 'ada'], 'conversation: must not be empty'],
      [['resume', 'c', '--user', ''], 'user: must not be empty'],
      [['index', '--user', ''], 'user: must not be empty'],
    ] as const) {
      expect(await run(args)).toMatchObject({ code: 2, stderr: `error VALIDATION: ${said}\n` })
    }
  })

  it('offers to continue after a day, and does not count as activity', async () => {
    const id = await began(25 * HOUR, (session) => session.ask('Which one?'))
    for (let i = 0; i < 2; i++) {
      expect(JSON.parse((await resume('--json')).stdout)).toMatchObject({ plan: 'offer', sessionId: id })
    }
  })

  it('ends the session when the user declines', async () => {
    const id = await began(25 * HOUR, (session) => session.ask('Which one?'))
    const { stdout } = await resume('--decline')
    expect(stdout).toBe(`What would you like to do next?\n\nplan new_task, ended ${id}\n`)
    expect(await stateOf(id)).toBe('aborted')
    const again = JSON.parse((await resume('--decline', '--json')).stdout)
    expect(again).toEqual({ plan: 'new_task', say: 'What would you like to do next?' })
  })

  it('ends a session idle for more than a week, or beyond the configured timeouts', async () => {
    const old = await began(8 * DAY, (session) => session.ask('Which one?'))
    expect(JSON.parse((await resume('--json')).stdout)).toMatchObject({ plan: 'expired', endedId: old })
    await began(HOUR, (session) => session.ask('And now?'))
    const strict = { SESSION_STALE_TIMEOUT_SECONDS: '60' }
    const { stdout } = await run(['resume', 'c', '--user', 'ada', '--json'], strict)
    expect(JSON.parse(stdout)).toMatchObject({ plan: 'expired' })
  })

  it('finds only sessions of that user, chatmode and tenant', async () => {
    await began(HOUR, (session) => session.ask('Which one?'))
    for (const other of [
      ['--user', 'grace'],
      ['--user', 'ada', '--chatmode', 'architect'],
      ['--user', 'ada', '--tenant', 'acme'],
    ]) {
      const { stdout } = await run(['resume', 'c', '--json', ...other])
      expect(JSON.parse(stdout)).toEqual({ plan: 'new_task', say: 'What would you like to do next?' })
    }
  })

  it('replaces control characters in the text for the user', async () => {
    await began(HOUR, (session) => session.ask('Which \u001b[2Jone?\u202e'))
    const { stdout } = await resume()
    expect(stdout).toContain('Which �[2Jone?�')
  })

  it('refuses invalid input with 2 and a missing store with 5', async () => {
    expect(await resume()).toMatchObject({ code: 5, stderr: expect.stringContaining('error STORAGE') })
    await began(HOUR, (session) => session.ask('Which one?'))
    const missing = await run(['resume', 'c'])
    expect(missing.code).toBe(2)
    expect(missing.stderr).toBe('error VALIDATION: user: is required; pass the user of the conversation with --user\n')
    expect((await run(['resume', '--user', 'ada'])).stderr).toContain("missing required argument 'conversation'")
    expect(await resume('--color')).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown option') })
    const wrong = await run(['resume', 'c', '--user', 'ada'], { SESSION_IDLE_TIMEOUT_SECONDS: 'soon' })
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('SESSION_IDLE_TIMEOUT_SECONDS') })
  })
})

describe('compact', () => {
  const work = async (session: Session) => {
    session.observe.note('Decision: wait longer each time')
    session.observe.fileRead({ path: 'src/config.ts' })
    session.observe.fileWrite({ path: 'src/connect.ts', content: 'retry' })
    session.observe.command({ command: 'npm test', exitCode: 1 })
    await session.flushStep()
  }

  it('creates the commit of an ended session once and shows it', async () => {
    const id = await began(HOUR, async (session) => {
      await work(session)
      await session.end()
    })
    const { code, stdout } = await run(['compact', id, '--summary', 'Retries are in.\nTests are red.'])
    expect(code).toBe(0)
    const [commit, ...rest] = stdout.trim().split('\n')
    expect(commit).toMatch(/^commit {5}[0-9a-f-]{36} \(normal, number 1 of its conversation\)$/)
    expect(rest).toEqual([
      `session    ${id}`,
      expect.stringMatching(/^created {4}\d{4}-\S+Z, summary: caller$/),
      'summary    Retries are in.',
      '           Tests are red.',
      'decisions  wait longer each time',
      'written    src/connect.ts, 5 bytes',
      'read       src/config.ts',
      'commands   npm test: failed with exit code 1',
      'events     1 to 3',
      expect.stringMatching(/^sha256 {5}[0-9a-f]{64}$/),
    ])
    const again = await run(['compact', id, '--summary', 'Something else'])
    expect(again.stdout).toContain('The session already had this commit: --summary was ignored.')
    const data = JSON.parse((await run(['compact', id, '--json'])).stdout)
    expect(data).toMatchObject({ sessionId: id, summary: 'Retries are in.\nTests are red.', range: { from: 1, to: 3 } })
  })

  it('shortens long lists with a count', async () => {
    const id = await began(HOUR, async (session) => {
      for (let i = 1; i <= 25; i++) session.observe.fileRead({ path: `src/${i}.ts` })
      await session.abort('Enough')
    })
    const { stdout } = await run(['compact', id])
    expect(stdout).toContain('src/20.ts\n         and 5 more lines\n')
  })

  it('refuses a live session with 4, an unknown one with 3, invalid input with 2', async () => {
    const id = await began(HOUR, work)
    const live = await run(['compact', id])
    expect(live).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('error INVALID_TRANSITION') })
    expect((await run(['compact', 'nobody'])).code).toBe(3)
    expect((await run(['compact'])).code).toBe(2)
    expect((await run(['compact', id, '--summary'])).code).toBe(2)
    const ended = await began(HOUR, (session) => session.end(), 'd')
    const empty = await run(['compact', ended, '--summary', ' ', '--json'])
    expect(empty.code).toBe(2)
    expect(JSON.parse(empty.stderr)).toMatchObject({ error: { code: 'VALIDATION', details: { field: 'summary' } } })
  })
})

describe('sweep', () => {
  it('ends abandoned sessions and prints their number', async () => {
    const old = await began(8 * DAY, (session) => session.ask('Which one?'))
    const young = await began(HOUR, (session) => session.ask('Which one?'), 'd')
    expect((await run(['sweep'])).stdout).toBe('ok  ended 1 session, created 1 commit\n')
    expect([await stateOf(old), await stateOf(young)]).toEqual(['aborted', 'awaiting_user'])
    expect((await run(['sweep'])).stdout).toBe('ok  no sessions to sweep\n')
    const strict = await run(['sweep', '--json'], { SESSION_STALE_TIMEOUT_SECONDS: '60' })
    expect(JSON.parse(strict.stdout)).toEqual({ swept: 1, compacted: 1, failed: 0, forgotten: 0 })
  })

  it('continues after a session that cannot be closed, and exits with 5', async () => {
    const stuck = await began(9 * DAY, (session) => session.ask('Which one?'))
    const other = await began(8 * DAY, (session) => session.ask('Which one?'), 'd')
    const db = openDatabase(join(cwd, 'a.db'))
    db.exec(`create trigger stuck before insert on session_events when new.session_id = '${stuck}'
      begin select raise(abort, 'stuck'); end`)
    db.close()
    const { code, stdout } = await run(['sweep'])
    expect({ code, stdout }).toEqual({
      code: 5,
      stdout: 'failed  ended 1 session, created 1 commit, 1 session could not be closed; the next sweep retries\n',
    })
    expect([await stateOf(stuck), await stateOf(other)]).toEqual(['awaiting_user', 'aborted'])
  })

  it('refuses arguments with 2 and a missing store with 5', async () => {
    expect((await run(['sweep', 'all'])).code).toBe(2)
    expect((await run(['sweep'])).code).toBe(5)
  })
})

it.each(['resume', 'compact', 'sweep'])('%s --help describes it', async (command) => {
  const { code, stdout } = await run([command, '--help'])
  expect(code).toBe(0)
  expect(stdout).toContain(`Usage: throughline ${command}`)
  expect(stdout.split('\n').filter((line) => line.length > 110)).toEqual([])
})
