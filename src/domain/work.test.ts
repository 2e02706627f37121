import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventType, SessionEvent } from './event.ts'
import type { Observation } from './graph.ts'
import type { Json } from './json.ts'
import { summarizeWork, workBuilder } from './work.ts'

const minute = (n: number) => new Date(Date.UTC(2026, 0, 31) + n * 60_000).toISOString()

function log(...entries: [EventType, unknown?][]): SessionEvent[] {
  return entries.map(([type, parts], i) => ({
    id: `e${i + 1}`,
    sessionId: 's1',
    sequence: i + 1,
    type,
    role: 'system',
    content: 'text',
    createdAt: minute(i + 1),
    ...(parts !== undefined && { parts: parts as Json }),
  }))
}

const step = (...observations: Observation[]): [EventType, unknown] => ['work_committed', { id: 'w', observations }]
const did = (...observations: Observation[]) => summarizeWork(log(step(...observations)))
const note = (text: string, id = 'n1'): Observation => ({ kind: 'note', id, text })
const write = (path: string, hash?: string): Observation => ({ kind: 'fileWrite', path, ...(hash && { hash }) })
const ran = (command: string, exitCode?: number): Observation => ({
  kind: 'command',
  command,
  ...(exitCode !== undefined && { exitCode }),
})

describe('what was done', () => {
  it('is nothing in an empty log', () => {
    expect(summarizeWork([])).toStrictEqual({
      requests: [],
      decisions: [],
      filesRead: [],
      filesWritten: [],
      commands: [],
      plans: [],
      openQuestions: [],
      openSteps: [],
      openCalls: [],
      turns: 0,
      toolCalls: 0,
      omitted: {},
    })
  })

  it('lists the files read, each once, in order', () => {
    const read = (path: string): Observation => ({ kind: 'fileRead', path })
    expect(summarizeWork(log(step(read('b'), read('a')), step(read('b'), read('c')))).filesRead).toEqual([
      'b',
      'a',
      'c',
    ])
  })

  it('lists the last write of each path', () => {
    const { filesWritten } = summarizeWork(
      log(step(write('a', 'h1'), write('b')), step({ kind: 'fileWrite', path: 'a', hash: 'h2', bytes: 5 })),
    )
    expect(filesWritten).toStrictEqual([{ path: 'b' }, { path: 'a', hash: 'h2', bytes: 5 }])
  })

  it('lists the last outcome of each command', () => {
    const { commands } = did(ran('npm test', 1), ran('ls'), ran('npm test', 0))
    expect(commands).toStrictEqual([{ command: 'ls' }, { command: 'npm test', exitCode: 0 }])
  })

  it('lists plans, and the decisions among the notes', () => {
    const work = did(
      note('Decision: use jitter'),
      note('looked around'),
      note('decision:   five retries', 'n2'),
      { kind: 'plan', id: 'p1', text: 'first this' },
      { kind: 'plan', id: 'p2', text: 'then that' },
      note('Decision: use jitter', 'n3'),
    )
    expect(work.decisions).toEqual(['use jitter', 'five retries'])
    expect(work.plans).toEqual(['first this', 'then that'])
  })

  it('lists decisions of edges by the text of the note or by name', () => {
    const decided = (from: string, label = 'decidedIn'): Observation => ({
      kind: 'relations',
      edges: [{ from, label, to: 'task:s1' }],
    })
    expect(did(note('five it is'), decided('note:n1')).decisions).toEqual(['five it is'])
    expect(did(note('Decision: five'), decided('note:n1')).decisions).toEqual(['five'])
    expect(did(decided('note:n1'), decided('decision:use: jitter')).decisions).toEqual(['n1', 'use: jitter'])
    expect(did(note('five it is'), decided('note:n1', 'mentions')).decisions).toEqual([])
    expect(did({ kind: 'plan', id: 'n1', text: 'x' }, decided('note:n1')).decisions).toEqual(['n1'])
  })

  it('keeps a question open until the work continues', () => {
    const asked: [EventType, unknown] = ['status_changed', { status: { state: 'awaiting_user', question: 'Which?' } }]
    const went = (state: string): [EventType, unknown] => ['status_changed', { status: { state } }]
    const open = (...entries: [EventType, unknown?][]) => summarizeWork(log(...entries)).openQuestions
    expect(open(asked)).toEqual(['Which?'])
    expect(open(asked, went('running'))).toEqual([])
    expect(open(asked, ['user_message'], went('aborted'))).toEqual(['Which?'])
    expect(open(asked, went('running'), went('interrupted'))).toEqual([])
    expect(open(asked, ['x.other', { status: { state: 'running' } }])).toEqual(['Which?'])
    expect(open(['status_changed'], ['status_changed', { status: 'running' }])).toEqual([])
  })

  it('counts turns, and each tool call once though it is announced and repeated', () => {
    const work = summarizeWork(
      log(
        ['user_message'],
        ['model_message', { toolCalls: [{ id: 'a' }, { id: 'b' }] }],
        ['tool_call', { id: 'a' }],
        ['tool_result', { toolCallId: 'a' }],
        ['user_message'],
        ['tool_call', { id: 'a' }],
      ),
    )
    expect([work.turns, work.toolCalls]).toEqual([2, 3])
  })

  it('spans from the first event to the last', () => {
    const work = summarizeWork(log(['session_started'], ['user_message'], ['x.y']))
    expect([work.firstAt, work.lastAt]).toEqual([minute(1), minute(3)])
  })

  it('can be asked for in between', () => {
    const builder = workBuilder()
    const [first, second] = log(step(write('a')), step(write('b'))) as [SessionEvent, SessionEvent]
    builder.add(first)
    expect(builder.finish().filesWritten).toEqual([{ path: 'a' }])
    builder.add(second)
    expect(builder.finish().filesWritten).toEqual([{ path: 'a' }, { path: 'b' }])
  })

  it('takes any history', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<EventType>('work_committed', 'status_changed', 'tool_call'),
        fc.jsonValue(),
        (type, any) => {
          summarizeWork(log([type, any], [type, { observations: any, status: any }]))
        },
      ),
    )
    const odd = { kind: 'fileWrite', path: 'a', hash: 1, bytes: 'x' } as unknown as Observation
    expect(did(odd, { kind: 'command', command: 'c', exitCode: '1' } as unknown as Observation)).toMatchObject({
      filesWritten: [{ path: 'a' }],
      commands: [{ command: 'c' }],
    })
    expect(did(odd).filesWritten).toStrictEqual([{ path: 'a' }])
  })
})

describe('the lists of a long log', () => {
  it('keep the newest two hundred and count the rest', () => {
    const builder = workBuilder()
    for (let i = 1; i <= 250; i++) {
      const id = `${i}`
      const [event] = log(
        step(
          note(`Decision: d${i}`, id),
          { kind: 'plan', id, text: `p${i}` },
          { kind: 'fileRead', path: `r${i}` },
          write(`w${i}`),
        ),
      ) as [SessionEvent]
      builder.add(event)
    }
    const work = builder.finish()
    expect(work.omitted).toStrictEqual({ decisions: 50, plans: 50, filesRead: 50, filesWritten: 50 })
    for (const list of [work.decisions, work.plans, work.filesRead, work.filesWritten]) expect(list).toHaveLength(200)
    expect([work.decisions[0], work.plans[0], work.filesRead.at(-1)]).toEqual(['d51', 'p51', 'r250'])
  })

  it('hold the beginning of long texts', () => {
    const long = 'x'.repeat(5000)
    const work = did(note(`Decision: ${long}`), write(long, long), ran(long), { kind: 'fileRead', path: long })
    const texts = [work.decisions[0], work.filesWritten[0]?.path, work.filesWritten[0]?.hash, work.commands[0]?.command]
    for (const text of [...texts, work.filesRead[0]]) expect(text).toHaveLength(1000)
  })

  it('do not grow with a hundred thousand events', () => {
    const builder = workBuilder()
    const [template] = log(['work_committed']) as [SessionEvent]
    for (let i = 0; i < 100_000; i++) {
      builder.add({ ...template, parts: { observations: [{ kind: 'command', command: `c${i}`, exitCode: i % 3 }] } })
      builder.add({ ...template, type: 'tool_call', parts: { id: `call-${i}` } })
    }
    const work = builder.finish()
    expect(work.omitted).toEqual({ commands: 99_800 })
    expect(work.toolCalls).toBe(100_000)
    expect(JSON.stringify(work).length).toBeLessThan(20_000)
  })
})

describe('what tool calls did', () => {
  const called = (name: string, given: Json, id = 'c1'): [EventType, unknown] => [
    'tool_call',
    { id, name, arguments: given },
  ]
  const answered = (id = 'c1'): [EventType, unknown] => ['tool_result', { toolCallId: id }]
  const said = (content: string): SessionEvent => ({ ...(log(['user_message'])[0] as SessionEvent), content })

  it('is listed like what was observed, each file and command once', () => {
    const started: [EventType, unknown] = ['session_started', { metadata: { cwd: '/app' } }]
    const work = summarizeWork(
      log(
        started,
        called('Read', { file_path: '/app/a.ts' }),
        answered(),
        called('Edit', { file_path: '/app/a.ts' }),
        answered(),
        called('Bash', { command: 'make' }),
        answered(),
        step({ kind: 'fileRead', path: 'a.ts' }, write('a.ts', 'h1'), ran('make', 0)),
      ),
    )
    expect(work).toMatchObject({
      filesRead: ['a.ts'],
      filesWritten: [{ path: 'a.ts', hash: 'h1' }],
      commands: [{ command: 'make', exitCode: 0 }],
      toolCalls: 3,
    })
  })

  it('is named from the folder in the first event, also by a builder that starts later', () => {
    const [first, ...rest] = log(
      ['session_started', { metadata: { cwd: '/app' } }],
      called('Read', { file_path: '/app/a.ts' }),
      answered(),
    ) as [SessionEvent, ...SessionEvent[]]
    const builder = workBuilder()
    builder.start(first)
    for (const event of rest) builder.add(event)
    expect(builder.finish()).toMatchObject({ filesRead: ['a.ts'], firstAt: minute(2) })
  })

  it('includes the last list of steps, and what is left of it', () => {
    const todos = (...steps: [string, string][]) => ({ todos: steps.map(([content, status]) => ({ content, status })) })
    const first = todos(['Read', 'pending'], ['Mend', 'pending'])
    const second = todos(['Read', 'completed'], ['Mend', 'in_progress'])
    const plan: Observation = { kind: 'plan', id: 'p', text: 'First the tests' }
    const work = summarizeWork(
      log(called('TodoWrite', first), answered(), step(plan), called('TodoWrite', second), answered()),
    )
    expect(work).toMatchObject({ plans: ['First the tests', '[x] Read\n[ ] Mend'], openSteps: ['Mend'] })
    const done = log(called('TodoWrite', todos(['Read', 'completed'])), answered())
    expect(summarizeWork(done).openSteps).toEqual([])
  })

  it('leaves open the calls of the last turn that have no result', () => {
    const open = (...entries: [EventType, unknown?][]) => summarizeWork(log(...entries)).openCalls
    expect(open(called('Bash', {}, 'a'), called('Bash', {}, 'b'), called('Read', {}, 'c'), answered('c'))).toEqual([
      'Bash',
    ])
    expect(open(called('Bash', {}, 'a'), ['user_message'])).toEqual([])
    expect(open(['tool_call', { id: 'a' }])).toEqual([''])
  })

  it('has the longest message after the last write or command, within its turn, as the report', () => {
    const model = (content: string) => ({ ...said(content), type: 'model_message' as const })
    const bash = (): SessionEvent[] => log(called('Bash', { command: 'make' }, 'a'), answered('a'))
    const reportOf = (...events: SessionEvent[]) => summarizeWork(events).report
    const work = [
      said('Go'),
      model('I begin at the very start.'),
      ...bash(),
      model('All is done.'),
      model('\n'),
      model('Bye.'),
    ]
    expect(reportOf(...work)).toBe('All is done.')
    expect(reportOf(...work, ...log(called('Read', { file_path: 'a' }), answered()), model('Read.'))).toBe(
      'All is done.',
    )
    expect(reportOf(...work, said('Why?'), model('A long explanation of the reasons.'))).toBe('All is done.')
    expect(reportOf(...work, said('More'), ...bash(), model('More.'))).toBe('More.')
    expect(reportOf(...work, ...bash())).toBeUndefined()
    const ended = '<task-notification><task-id>b1</task-id><summary>done (exit code 0)</summary></task-notification>'
    const moved = {
      ...said('Command running in background with ID: b1'),
      type: 'tool_result' as const,
      parts: { toolCallId: 'a' },
    }
    const later = [...log(called('Bash', { command: 'make' }, 'a')), moved, model('It runs.')]
    expect(reportOf(...later, { ...said(ended), type: 'system_event' }, model('It ended well, as I see.'))).toBe(
      'It ended well, as I see.',
    )
    expect(reportOf(...later, { ...said(ended), type: 'system_event' }, model('Good.'))).toBe('It runs.')
  })

  it('names the last requests of the user', () => {
    const typed = '<command-name>/compact</command-name>\n<command-args>and go on</command-args>'
    expect(summarizeWork([said(typed)]).requests).toEqual(['/compact and go on'])
    expect(summarizeWork([said(' Add\n retries '), said(' '), said('x'.repeat(500))]).requests).toEqual([
      'Add retries',
      `${'x'.repeat(399)}…`,
    ])
    const many = Array.from({ length: 25 }, (_, i) => said(`${i}`))
    expect(summarizeWork(many).requests).toEqual(Array.from({ length: 20 }, (_, i) => `${i + 5}`))
  })
})
