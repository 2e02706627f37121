import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { type Databases, databasesOf } from '../../test/servers/database.ts'
import { operatorToken, startServer } from '../../test/servers/http.ts'
import { runInProcess } from '../../test/servers/run-cli.ts'
import type { Session, Throughline } from '../api.ts'
import type { SessionEvent } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import type { SessionRecord } from '../domain/record.ts'
import { open } from '../open/open.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'tl-sessions-'))
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

const sqlite = () => `sqlite:${cwd}/a.db`
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runInProcess(args, cwd, { THROUGHLINE_URL: sqlite(), COLUMNS: '100', ...env })
const runJson = async (...args: string[]) => JSON.parse((await run([...args, '--json'])).stdout)

/** Opens the store of the test, and closes it. */
async function withTl<T>(work: (tl: Throughline) => Promise<T>, ago = 0): Promise<T> {
  const clock = { now: () => Date.now() - ago }
  const tl = await open({ url: sqlite(), index: false, agents: ['coach', 'reviewer'], clock })
  try {
    return await work(tl)
  } finally {
    await tl.close()
  }
}

/** A session with an event of nearly every kind; it waits for an answer. */
async function busySession(tl: Throughline): Promise<Session> {
  const s = await tl.sessions.create({ userId: 'ada', task: 'Add retries', gitBranch: 'retries', conversationId: 'c' })
  const call = (id: string) => ({ id, name: 'read_file', arguments: { path: `src/${id}.ts` } })
  await s.append([
    { type: 'user_message', content: `Add retry logic\n\n${'word '.repeat(40)}` },
    { type: 'x.thinking', content: 'First the file.\nThen the rest.' },
    { type: 'model_message', content: 'Let me look.', agentId: 'coach', parts: { toolCalls: [call('a')] } },
    { type: 'tool_call', parts: call('a') },
    { type: 'tool_call', parts: call('b') },
    { type: 'tool_result', content: 'line 1\nline 2', parts: { toolCallId: 'a' } },
    { type: 'tool_result', content: 'no such file', parts: { toolCallId: 'b', isError: true } },
    { type: 'tool_call', parts: call('c') },
  ])
  await s.updateState({ n: 1, gone: null })
  await s.passGate(2, 'tests are green')
  await s.handoff({ to: 'reviewer', reason: 'code is done' })
  await s.takeHandoff()
  s.observe.command({ command: 'npm test', exitCode: 1 })
  await s.flushStep()
  await s.append({ type: 'x.a-long-name-of-mine', parts: { tokens: 12 } })
  await s.append({ type: 'system_event', content: 'evil \u001b[2J\u202e text' })
  await s.ask('Which policy?')
  return s
}

describe('sessions', () => {
  it('lists matching sessions, newest first, in a table that fits the line', async () => {
    const old = await withTl(
      (tl) => tl.sessions.create({ userId: 'grace', task: '日本語のタスク'.repeat(9) }),
      3 * 86_400_000,
    )
    const { id } = await withTl(busySession, 180_000)
    const { code, stdout } = await run(['sessions'])
    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([
      'session                               state          turns  events  active     task',
      `${id}  awaiting_user      1      20  3 min ago  Add retries`,
      `${old.id}  running            0       1  3 d ago    日本語のタスク日本語…`,
      '',
      '2 sessions',
      '',
    ])
    const wide = await run(['sessions'], { COLUMNS: '140' })
    expect(wide.stdout).toContain(
      'session                               state          agent     turns  events  active     user   task',
    )
    const narrow = await run(['sessions'], { COLUMNS: '40' })
    expect(narrow.stdout.split('\n').slice(0, 4)).toEqual([
      id,
      '  awaiting_user, 3 min ago, 1 turn, Add…',
      old.id,
      '  running, 3 d ago, 0 turns, 日本語のタ…',
    ])

    const ids = async (...args: string[]) =>
      ((await runJson('sessions', ...args)) as { items: SessionRecord[] }).items.map((item) => item.id)
    expect(await ids()).toEqual([id, old.id])
    expect(await ids('--user', 'grace')).toEqual([old.id])
    expect(await ids('--state', 'awaiting_user')).toEqual([id])
    expect(await ids('--agent', 'reviewer', '--chatmode', 'default', '--conversation', 'c')).toEqual([id])
    expect(await ids('--since', '2h')).toEqual([id])
    expect(await ids('--until', '2h')).toEqual([old.id])
    expect(await ids('--since', '2020-01-01', '--until', '2021-01-01')).toEqual([])
    expect(await ids('--tenant', 'acme')).toEqual([])
    expect((await run(['sessions', '--user', 'nobody'])).stdout).toBe('No matching sessions.\n')
  })

  it('continues after a page, and lists all pages', async () => {
    // one more than the longest page
    const count = LIMITS.page + 1
    await withTl(({ sessions }) => sessions.create({ userId: 'grace-of-the-sea' }), 60_000)
    await withTl(({ sessions }) =>
      Promise.all(Array.from({ length: LIMITS.page }, () => sessions.create({ userId: 'ada' }))),
    )
    const first = await runJson('sessions', '--limit', '500')
    const second = await runJson('sessions', '--limit', '3', '--cursor', first.nextCursor)
    const ids = [...first.items, ...second.items].map(({ id }: SessionRecord) => id)
    expect(new Set(ids).size).toBe(count)
    expect(second).not.toHaveProperty('nextCursor')

    const lines = (await run(['sessions', '--all', '--json'])).stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(ids)
    const { stdout } = await run(['sessions', '--all'])
    expect(stdout.match(/^session /gm)).toHaveLength(1)
    expect([...stdout.matchAll(/^[\da-f-]{36}(?= {2}running)/gm)].map(([id]) => id)).toEqual(ids)
    expect(stdout).toMatch(/\n\n501 sessions\n$/)
    // of the last page: the first one has shorter names
    expect((await run(['sessions', '--all'], { COLUMNS: '160' })).stdout).toContain('  grace-of-the-sea')
    const some = await run(['sessions', '--limit', '2'])
    expect(some.stdout).toMatch(/\n\n2 sessions; show more with --limit or --all\n$/)
    const most = await run(['sessions', '--limit', '500'])
    expect(most.stdout).toMatch(/\n\n500 sessions; show more with --all\n$/)
  })

  it('prints first steps for an empty default store, but refuses a missing store named with --url', async () => {
    const none = await run(['sessions'])
    expect(none).toMatchObject({ code: 0, stderr: '' })
    expect(none.stdout).toContain(`No sessions yet in ${cwd}/a.db.`)
    expect(none.stdout).toContain(`throughline demo --url sqlite:${cwd}/a.db`)
    expect(await run(['sessions', '--json'])).toMatchObject({ code: 0, stdout: '{"items":[]}\n' })
    expect(await run(['sessions', '--url', `sqlite:${cwd}/b.db`])).toMatchObject({ code: 5, stdout: '' })
  })

  it('mentions other tenants with sessions, and finds a session by part of its id', async () => {
    const { id } = await withTl(async (tl) => {
      const s = await tl.sessions.create({ userId: 'ada', tenant: 'acme' })
      await s.end()
      return s
    })
    expect((await run(['sessions'])).stdout).toBe(
      'No sessions for tenant local. Other tenants have some: use --tenant.\n',
    )
    expect((await run(['sessions', '--tenant', 'acme'])).stdout).toContain(id)
    const part = id.slice(-8)
    for (const command of ['show', 'tail']) {
      const { code, stderr } = await run([command, part])
      expect({ code, stderr }).toEqual({
        code: 3,
        stderr: expect.stringMatching(
          `^error SESSION_NOT_FOUND: .* tenant local .* ${part}; pass the whole id, or another --tenant`,
        ),
      })
      expect((await run([command, part, '--tenant', 'acme'])).code).toBe(0)
    }
  })

  it.each([
    [['--user', ''], 'user: must not be empty'],
    [['--tenant', ''], 'tenant: must not be empty'],
    [['--conversation', ''], 'conversation: must not be empty'],
    [['--state', 'asleep'], 'state: must be one of running, awaiting_user'],
    [['--since', 'soon'], 'since: must be an age (30m'],
    [['--limit', '0'], 'limit: must be a whole number from 1 to 500'],
    [['--all', '--limit', '3'], 'limit: cannot be combined with --all'],
    [['--tennant', 'acme'], "unknown option '--tennant' (Did you mean --tenant?)"],
  ])('refuses %j with 2', async (args, message) => {
    const { code, stdout, stderr } = await run(['sessions', ...args])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('suggests a command for a typo', async () => {
    const { code, stderr } = await run(['sesions'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('Did you mean sessions?'),
    })
  })
})

it('accepts help and -h for --help, and -v for --version', async () => {
  const same = async (args: string[], others: string[]) => {
    const asked = await run(args)
    expect(asked).toMatchObject({ code: 0, stderr: '' })
    expect(asked).toEqual(await run(others))
  }
  await same(['-h'], ['--help'])
  await same(['help'], ['--help'])
  await same(['sessions', '-h'], ['sessions', '--help'])
  await same(['help', 'sessions'], ['sessions', '--help'])
  await same(['help', 'memory', 'list'], ['memory', 'list', '--help'])
  await same(['-v'], ['--version'])
})

describe('show', () => {
  it('shows the state of a session and its events, with the results of tool calls', async () => {
    const { id } = await withTl(busySession, 180_000)
    const { code, stdout, stderr } = await run(['show', id], { COLUMNS: '72' })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [head = '', log = ''] = stdout.split('\n\n     1  ')
    expect(head.split('\n')).toEqual([
      `session       ${id}`,
      'task          Add retries',
      expect.stringMatching(/^state {9}awaiting_user since \d{4}-.* UTC \(3 min ago\)$/),
      'waiting for   the user to answer: Which policy?',
      'agent         reviewer',
      'user          ada',
      'log           1 turn, 20 events',
      expect.stringMatching(/^started {7}\d{4}-\d\d-\d\d \d\d:\d\d UTC, last activity 3 min ago$/),
      'branch        retries',
      'mode          default',
      'conversation  c',
    ])
    expect(log.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'TIME').split('\n')).toEqual([
      'start       Session started: Add retries',
      '',
      `── turn 1, TIME UTC ${'─'.repeat(40)}`,
      '     2  user        Add retry logic',
      '',
      `                    ${'word '.repeat(10).trim()}`,
      `                    ${'word '.repeat(10).trim()}`,
      `                    ${'word '.repeat(10).trim()}`,
      `                    ${'word '.repeat(10).trim()}`,
      '     3  x.thinking  First the file. Then the rest.',
      '     4  coach       Let me look.',
      '     4  call        read_file {"path":"src/a.ts"}',
      '     7  └ result    line 1 line 2',
      '     5  call        read_file (announced in event 4)',
      '     6  call        read_file {"path":"src/b.ts"}',
      '     8  └ result    no such file',
      '     9  call        read_file {"path":"src/c.ts"}',
      '                    no result',
      '    10  state       n = 1, gone removed',
      '    11  gate        2 passed: tests are green',
      '    12  state       added 2 to validation_gates_passed',
      '    13  handoff     coach → reviewer: code is done',
      '    14  handoff     taken by reviewer',
      '    15  work        step: ran npm test (exit code 1)',
      '    16  x.a-long-…  x.a-long-name-of-mine: {"tokens":12}',
      '    17  note        evil �[2J� text',
      '    18  agent       Which policy?',
      '    19  work        question',
      expect.stringMatching(/^ {4}20 {2}status {6}awaiting_user: /),
      '',
    ])
    for (const columns of ['40', '59', '60', '200']) {
      const lines = (await run(['show', id], { COLUMNS: columns })).stdout.split('\n')
      expect(lines.filter((line) => line.length > Number(columns))).toEqual([])
      expect(lines.join('\n')).toContain(id)
    }
    // the end of an id, or its beginning, stands for it
    for (const part of [id.slice(-8), id.slice(0, 20).toUpperCase()]) {
      expect((await runJson('show', part)).record.id).toBe(id)
    }
  })

  it('starts with the last turns, says what it left out, and shows any range', async () => {
    const id = await withTl(async (tl) => {
      const s = await tl.sessions.create({ userId: 'ada' })
      for (let turn = 1; turn <= 30; turn++) {
        await s.append([
          { type: 'user_message', content: `question ${turn}` },
          { type: 'model_message', content: `answer ${turn}\n\tindented    by columns` },
        ])
      }
      await s.append({ type: 'model_message', content: 'long '.repeat(2000) })
      return s.id
    })
    const show = async (...args: string[]) => (await run(['show', id, ...args])).stdout
    const questions = (text: string) => [...text.matchAll(/question (\d+)/g)].map(([, turn]) => Number(turn))
    const usual = await show()
    expect(questions(usual)).toEqual(Array.from({ length: 20 }, (_, i) => i + 11))
    expect(usual).toContain(
      '\n… 10 earlier turns (events 1 to 21): show the previous one with --turn 10, or all with --after 0\n',
    )
    expect(usual).toContain('… show all 10,000 characters with --full')
    expect(usual).toContain('── turn 11, ')
    expect(usual).toContain(`answer 30\n${' '.repeat(28)}indented    by columns\n`)
    const full = await show('--last', '1', '--full')
    expect(full.match(/long/g)).toHaveLength(2000)
    expect(questions(await show('--last', '100'))).toHaveLength(30)

    const turn = await show('--turn', '7')
    expect(questions(turn)).toEqual([7])
    expect(turn).toContain('── turn 7, ')
    expect(turn).toContain('\n… 47 more events: show them with --after 15\n')
    expect(await show('--turn', '1')).toContain('     1  start ')
    const behind = await show('--after', '3', '--limit', '2')
    expect(questions(behind)).toEqual([2])
    expect(behind).toContain('… events 1 to 3 not shown: show them with --after 0')

    const then = await runJson('show', id, '--at', '5', '--last', '1')
    expect(then.record).toMatchObject({ head: 5, turns: 2 })
    expect(then.events.map(({ sequence }: SessionEvent) => sequence)).toEqual([4, 5])
    expect(await show('--at', '5')).toContain('As of event 5.')
  })

  it('shows other views, now and as of an event', async () => {
    const { id } = await withTl(busySession)
    const { stdout } = await run(['show', id, '--state', '--agents', '--work', '--envelope'])
    expect(stdout).toMatch(/^state\n {2}\{\n {4}"n": 1,\n/m)
    expect(stdout).toMatch(/^agents\nevent {2}time .*\n {3}13 {2}.* {2}coach {2}reviewer {2}code is done$/m)
    expect(stdout).toMatch(/^work\n {2}Task: Add retries$/m)
    expect(stdout).toMatch(/^envelope\n {2}\{\n {4}"session_id"/m)
    expect(stdout).not.toContain('turn 1,')
    const now = await runJson('show', id, '--agents', '--work', '--envelope')
    expect(Object.keys(now)).toEqual(['record', 'state', 'events', 'envelope', 'agents', 'work'])
    expect(now.work).toContain('npm test failed with 1')
    const then = await runJson('show', id, '--at', '9', '--agents', '--work')
    expect(then).toMatchObject({ state: { scratchpad: {}, version: 0 }, agents: [] })
    expect(then.work).toContain('Files read:')
    expect(then.work).not.toContain('npm test')
    expect(Object.keys(await runJson('show', id))).toEqual(['record', 'state', 'events'])
  })

  it('refuses impossible ranges with 2 and an unknown session with 3', async () => {
    const [first, second] = await withTl(async ({ sessions }) => [
      await sessions.create({ userId: 'ada', id: 'aaaaaaaa-0000-4000-8000-000000000001' }),
      await sessions.create({ userId: 'ada', id: 'aaaaaaaa-0000-4000-8000-000000000002' }),
    ])
    for (const [args, message] of [
      [[first?.id, '--turn', '1'], 'turn: is 1, but the session has 0 turns'],
      [[first?.id, '--turn', '1', '--last', '2'], 'turn: cannot be combined with --last'],
      [[first?.id, '--limit', '2'], 'limit: needs --after'],
      [[first?.id, '--at', '0'], 'at: must be a whole number from 1'],
      [[first?.id, '--at', '9'], 'at: is 9, but the last event is 1'],
      [[first?.id, '--after', '2'], 'after: is 2, but the last event is 1'],
      [['aaaaaaaa'], `session: matches 2 sessions, such as ${second?.id}, ${first?.id}`],
    ] as const) {
      const { code, stderr } = await run(['show', ...args.map(String)])
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
    }
    for (const unknown of ['nobody', 'aaaaaaab', '00000000-0000-4000-8000-000000000000']) {
      expect((await run(['show', unknown])).code).toBe(3)
    }
  })
})

describe('tail', () => {
  it('shows the last events and new ones with tool names, and ends with the session', async () => {
    await withTl(async (tl) => {
      const s = await busySession(tl)
      const following = run(['tail', s.id, '--after', '20'])
      await s.answer('The first one')
      await s.append({ type: 'tool_call', parts: { id: 'd', name: 'grep', arguments: 'retry' } })
      await s.append({ type: 'tool_result', content: 'found\nit', parts: { toolCallId: 'd' } })
      await s.propose('Retries are in')
      await s.confirm()
      const { code, stdout } = await following
      expect(code).toBe(0)
      expect(stdout.replace(/^── turn, .*/m, '── turn').split('\n')).toEqual([
        '',
        '── turn',
        '    21  user        The first one',
        '    22  work        response',
        expect.stringMatching(/^ {4}23 {2}status {6}running: /),
        '    24  call        grep retry',
        '    25  result      grep: found it',
        '    26  agent       Retries are in',
        '    27  work        proposal',
        expect.stringMatching(/^ {4}28 {2}status {6}pending_complete: /),
        '    29  work        confirmation',
        expect.stringMatching(/^ {4}30 {2}status {6}complete: /),
        expect.stringMatching(/^ {4}31 {2}commit {6}normal, number 1: Task: Add retries /),
        '',
        'The session has ended (complete). No more events will follow.',
        '',
      ])
    })
  })

  it('prints one line of JSON per event, and only new events', async () => {
    const { id, events } = await withTl(async (tl) => {
      const s = await busySession(tl)
      await s.abort('Enough')
      return { id: s.id, events: await s.events({ limit: 500 }) }
    })
    const lines = async (...args: string[]) =>
      (await run(['tail', id, '--json', ...args])).stdout.split('\n').filter((line) => line !== '')
    const all = await lines('--after', '0')
    expect(all.map((line) => JSON.parse(line))).toEqual(events)
    expect(all.join('')).toContain('evil \\u001b[2J\\u202e text')
    expect(await lines()).toHaveLength(10)
    expect(await lines('--last', '2')).toHaveLength(2)
    expect(await lines('--last', '0')).toEqual([])
    expect(await lines('--after', String(events.length))).toEqual([])
    const beyond = `after: is 9999, but the last event is ${events.length}`
    expect(await run(['tail', id, '--after', '9999'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(beyond),
    })
  })

  it('ends when the session has expired, and refuses an unknown session', async () => {
    const { id } = await withTl(({ sessions }) => sessions.create({ userId: 'ada', expiresInMs: 1 }))
    expect((await run(['tail', id])).stdout).toContain('The session has ended (running).')
    expect((await run(['tail', 'nobody'])).code).toBe(3)
    const both = await run(['tail', id, '--last', '1', '--after', '1'])
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('after: cannot be combined with --last') })
  })
})

describe('purge', () => {
  it('needs --yes without a terminal, and deletes nothing without it', async () => {
    const { id } = await withTl(busySession)
    for (const args of [[id], ['--user', 'ada'], [id, '--json']]) {
      const { code, stdout, stderr } = await run(['purge', ...args])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('--yes')
    }
    expect((await run(['show', id])).code).toBe(0)
    for (const [args, message] of [
      [[], 'session: pass either a session id or --user'],
      [[id, '--user', 'ada'], 'session: pass either'],
      [[id, '--tenant', 'acme'], 'tenant: needs --user'],
    ] as const) {
      const { code, stderr } = await run(['purge', '--yes', ...args])
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
    }
    // an id must be whole here
    expect((await run(['purge', id.slice(-8), '--yes'])).code).toBe(3)
  })

  it('deletes a session or all data of a user, and prints the receipt', async () => {
    const { id } = await withTl(async (tl) => {
      const other = await tl.sessions.create({ userId: 'grace' })
      for (let i = 0; i < 3; i++) await (await tl.sessions.create({ userId: 'ada' })).end()
      await tl.memories.remember({ userId: 'ada', content: 'Ada plays the guitar' })
      await tl.memories.remember({ userId: 'grace', content: 'Grace sails' })
      return other
    })
    const all = await run(['purge', '--user', 'ada', '--yes'])
    expect(all.code).toBe(0)
    expect(all.stdout).toMatch(/^purged {2}3 sessions, 6 events, 1 memory, 0 idempotency keys at \S+Z\n$/)
    expect(await runJson('purge', '--user', 'ada', '--yes')).toMatchObject({ sessions: 0, events: 0, memories: 0 })
    expect(await runJson('purge', id, '--yes')).toMatchObject({ sessions: 1, events: 1, keys: 0, memories: 0 })
    expect((await run(['purge', id, '--yes'])).code).toBe(3)
    await withTl(async (tl) => {
      expect((await tl.memories.list({ userId: 'grace' })).items).toHaveLength(1)
    })
  })
})

describe.each(['postgres', 'server'] as const)('on %s', (kind) => {
  let databases: Databases | undefined
  beforeAll(async () => {
    if (kind === 'postgres') databases = await databasesOf(inject('postgres')[0]?.url ?? '')
  })
  afterAll(() => databases?.close())

  it('sessions, show, tail and purge work the same', async () => {
    const database = await databases?.create()
    const server = kind === 'server' ? await startServer({ url: sqlite() }) : undefined
    const token = await operatorToken()
    const url = server?.url ?? database?.url() ?? ''
    const tl = await open({ url, ...(server && { token }) })
    const there = (...args: string[]) =>
      runInProcess(args, cwd, { THROUGHLINE_URL: url, COLUMNS: '100', ...(server && { THROUGHLINE_TOKEN: token }) })
    try {
      expect((await there('sessions')).stdout).toContain('No sessions yet.')
      if (server) {
        const nobody = await runInProcess(['sessions', '--url', url], cwd, { THROUGHLINE_TOKEN: '' })
        expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining(': set THROUGHLINE_TOKEN\n') })
      }
      const s = await tl.sessions.create({ userId: 'ada', task: 'Plan the trip' })
      await s.append([
        { type: 'user_message', content: 'Find me a night train' },
        { type: 'tool_call', parts: { id: 'a', name: 'search', arguments: {} } },
        { type: 'tool_result', content: 'one at 21:40', parts: { toolCallId: 'a' } },
      ])
      const { stdout } = await there('show', s.id)
      expect(stdout).toContain('     3  call        search {}\n     4  └ result    one at 21:40\n')
      expect(JSON.parse((await there('show', s.id.slice(-12), '--json')).stdout).events).toHaveLength(4)
      expect((await there('sessions', '--since', '1h')).stdout).toContain(`${s.id}  running      1  `)
      expect(JSON.parse((await there('sessions', '--all', '--json')).stdout)).toEqual(await s.record())

      const following = there('tail', s.id, '--after', '0', '--json')
      await s.ask('Shall I book it?')
      await s.abort('Too late')
      const { code, stdout: followed } = await following
      expect(code).toBe(0)
      expect(
        followed
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual(await s.events())

      const receipt = JSON.parse((await there('purge', '--user', 'ada', '--yes', '--json')).stdout)
      expect(receipt).toMatchObject({ sessions: 1, events: 10 })
      expect((await there('show', s.id)).code).toBe(3)
    } finally {
      await tl.close()
      await server?.close()
      await database?.destroy()
    }
  })
})

describe('sub-agents', () => {
  it('are listed by parent and by metadata, and shown as a tree', async () => {
    const ids = await withTl(async (tl) => {
      const parent = await tl.sessions.create({ userId: 'ada', task: 'Plan the trip' })
      const link = { sessionId: parent.id, sequence: 1 }
      const child = await tl.sessions.create({
        userId: 'ada',
        parent: link,
        task: 'Find trains',
        metadata: { project: 'x', size: 3 },
      })
      const below = await tl.sessions.create({ userId: 'ada', parent: { sessionId: child.id } })
      return [parent.id, child.id, below.id] as const
    })
    const [parent, child, below] = ids
    const listed = async (...filter: string[]) =>
      (await runJson('sessions', ...filter)).items.map(({ id }: SessionRecord) => id)
    expect(await listed('--parent', parent)).toEqual([child])
    expect(await listed('--metadata', 'project=x,size=3')).toEqual([child])
    expect(await listed('--metadata', 'size="3"')).toEqual([])
    expect((await run(['sessions', '--metadata', 'project'])).code).toBe(2)
    const { stdout } = await run(['show', parent])
    expect(stdout).toContain(`└─ ${child} running, 0 turns, 1 event, called by event 1: Find trains`)
    expect(stdout).toContain(`   └─ ${below} running, 0 turns, 1 event`)
    expect((await run(['show', child])).stdout).toMatch(new RegExp(`parent +${parent}, event 1`))
    expect((await runJson('show', parent)).children).toEqual([
      {
        id: child,
        state: 'running',
        turns: 0,
        head: 1,
        task: 'Find trains',
        sequence: 1,
        children: [{ id: below, state: 'running', turns: 0, head: 1 }],
      },
    ])
  })
})
