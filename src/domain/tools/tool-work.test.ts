import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../event.ts'
import type { Observation } from '../graph.ts'
import type { Json } from '../json.ts'
import { KNOWN_TOOLS } from './known-tools.ts'
import { type ToolRule, type ToolTable, toolTable } from './tool-table.ts'
import { toolFold } from './tool-work.ts'

const read = (path: string): Observation => ({ kind: 'fileRead', path })
const wrote = (path: string): Observation => ({ kind: 'fileWrite', path })
const ran = (command: string, exitCode?: number): Observation => ({
  kind: 'command',
  command,
  ...(exitCode !== undefined && { exitCode }),
})

type Said = Pick<SessionEvent, 'type'> & { content?: string; parts?: Json }

function log(...entries: readonly Said[]): SessionEvent[] {
  return entries.map(({ type, content = '', parts }, i) => ({
    id: `e${i + 1}`,
    sessionId: 's1',
    sequence: i + 1,
    type,
    role: 'system',
    content,
    createdAt: '2026-01-31T09:30:00.000Z',
    ...(parts !== undefined && { parts }),
  }))
}

const call = (name: string, given: Json, id = 'c1'): Said => ({
  type: 'tool_call',
  parts: { id, name, arguments: given },
})
const result = (content: string, more: { isError?: boolean } = {}, id = 'c1'): Said => ({
  type: 'tool_result',
  content,
  parts: { toolCallId: id, ...more },
})
const failure = (content: string, id?: string) => result(content, { isError: true }, id)

/** What the events show, call by call. */
function observed(entries: readonly Said[], table?: ToolTable): Observation[] {
  const fold = toolFold(table ?? toolTable())
  return log(...entries).flatMap((event) => fold.add(event)?.observations ?? [])
}

const shows = (name: string, given: Json, answer: Said = result('')) => observed([call(name, given), answer])

describe('calls of Claude Code', () => {
  it('read and write the file they name, if they succeed', () => {
    expect(shows('Read', { file_path: 'src/a.ts', limit: 20 }, result('1→text'))).toEqual([read('src/a.ts')])
    expect(shows('Write', { file_path: 'a.ts', content: 'x' })).toEqual([wrote('a.ts')])
    expect(shows('Edit', { file_path: 'a.ts', old_string: 'x', new_string: 'y' })).toEqual([wrote('a.ts')])
    expect(shows('MultiEdit', { file_path: 'a.ts', edits: [] })).toEqual([wrote('a.ts')])
    expect(shows('NotebookEdit', { notebook_path: 'a.ipynb', new_source: '' })).toEqual([wrote('a.ipynb')])
    expect(
      shows('Read', { file_path: 'gone.ts' }, failure('<tool_use_error>File does not exist.</tool_use_error>')),
    ).toEqual([])
    expect(shows('Edit', { file_path: 'a.ts' }, failure('String to replace not found in file.'))).toEqual([])
  })

  it.each<[what: string, answer: Said, seen: Observation[]]>([
    ['0 where the result is no error', result('all passed'), [ran('make', 0)]],
    ['0 without output', result(''), [ran('make', 0)]],
    ['the code that an error starts with', failure('Exit code 2\nmake: *** failed'), [ran('make', 2)]],
    ['the code even if no error is marked', result('Error: Exit code 127\nno make'), [ran('make', 127)]],
    ['unknown where an error names none', failure('Command timed out after 2m 0.0s'), [ran('make')]],
    ['no run where it was malformed', failure('<tool_use_error>InputValidationError</tool_use_error>'), []],
    ['no run where the user refused', failure("The user doesn't want to proceed with this tool use."), []],
  ])('a command has as its exit code %s', (_, answer, seen) => {
    expect(shows('Bash', { command: 'make', description: 'Build' }, answer)).toEqual(seen)
  })

  it('a command in the background gets its exit code when it is known', () => {
    const started = 'Command running in background with ID: b0be39e. Output is being written to: /tmp/x.output'
    const running = '<retrieval_status>timeout</retrieval_status>\n\n<status>running</status>'
    const ended = '<status>completed</status>\n\n<exit_code>1</exit_code>\n\n<output>\nfailed\n</output>'
    const steps = [
      call('Bash', { command: 'make' }),
      result(started),
      call('TaskOutput', { task_id: 'b0be39e' }),
      result(running),
    ]
    expect(observed(steps)).toEqual([ran('make')])
    const again = [...steps, call('TaskOutput', { task_id: 'b0be39e' }), result(ended)]
    expect(observed(again)).toEqual([ran('make'), ran('make', 1)])
    expect(observed([...again, call('TaskOutput', { task_id: 'b0be39e' }), result(ended)])).toHaveLength(2)
    const moved = 'Command did not complete within its 120s timeout and was moved to the background (ID: x1). Output …'
    const other = [
      call('Bash', { command: 'make' }),
      result(moved),
      call('BashOutput', { bash_id: 'x1' }),
      result(ended),
    ]
    expect(observed(other)).toEqual([ran('make'), ran('make', 1)])
    expect(shows('TaskOutput', { task_id: 'an agent' }, result(ended))).toEqual([])
  })

  it('a message to the model may tell the end of a command in the background', () => {
    const steps = [call('Bash', { command: 'make' }), result('Command running in background with ID: b0be39e.')]
    const note = (summary: string, id = 'b0be39e'): Said => ({
      type: 'system_event',
      content: `<task-notification>\n<task-id>${id}</task-id>\n<summary>${summary}</summary>\n</task-notification>`,
    })
    const done = note('Background command "Build with exit code 7" completed (exit code 0)')
    expect(observed([...steps, done, done])).toEqual([ran('make'), ran('make', 0)])
    const failed = note('Background command "Build" failed with exit code 2')
    expect(observed([...steps, failed])).toEqual([ran('make'), ran('make', 2)])
    for (const other of [
      note('completed (exit code 0)', 'x'),
      note('Agent "Look" completed'),
      { ...done, content: 'x' },
    ])
      expect(observed([...steps, other])).toEqual([ran('make')])
  })

  it("a question's answer is a decision", () => {
    const note = (text: string, id = 'c1'): Observation => ({ kind: 'note', id, text: `Decision: ${text}` })
    const questions = [
      { question: 'Which store?', header: 'Store', options: [{ label: 'SQLite' }] },
      { question: 'Port', header: 'Port', options: [] },
      { question: 'Never answered?' },
      { question: '' },
      'none',
    ]
    const told =
      'User has answered your questions: "Which store?"="SQLite, "for now"", "Port"="4747". You can now go on.'
    expect(shows('AskUserQuestion', { questions }, result(told))).toEqual([
      note('Which store? SQLite, "for now"'),
      note('Port: 4747', 'c1/2'),
    ])
    expect(shows('AskUserQuestion', { questions }, failure('The user refused'))).toEqual([])
    for (const given of [{}, { questions: 'all' }, { questions: [] }])
      expect(shows('AskUserQuestion', given, result(told))).toEqual([])
  })

  it('a list of steps is a plan, of which the open ones are left', () => {
    const todos = [
      { content: 'Read  it', status: 'completed' },
      { content: 'Change it', status: 'in_progress' },
      { content: 'Test it', status: 'pending' },
      { content: '  ', status: 'pending' },
      'no step',
    ]
    const fold = toolFold(toolTable())
    const [first, second] = log(call('TodoWrite', { todos }), result('Todos have been modified'))
    expect(fold.add(first as SessionEvent)).toBeUndefined()
    expect(fold.add(second as SessionEvent)).toEqual({
      tool: 'TodoWrite',
      observations: [{ kind: 'plan', id: 'c1', text: '[x] Read it\n[ ] Change it\n[ ] Test it' }],
      openSteps: ['Change it', 'Test it'],
    })
    expect(shows('ExitPlanMode', { plan: ' 1. Read it ' })).toEqual([{ kind: 'plan', id: 'c1', text: '1. Read it' }])
    expect(shows('TodoWrite', { todos }, failure('no'))).toEqual([])
    for (const given of [{ todos: [] }, { todos: 'all' }, {}]) expect(shows('TodoWrite', given)).toEqual([])
    expect(shows('ExitPlanMode', { plan: ' ' })).toEqual([])
  })

  it('searches, sub-agents and web requests show no work', () => {
    for (const name of ['Glob', 'Grep', 'Task', 'WebFetch'])
      expect(shows(name, { path: 'a', pattern: 'b' })).toEqual([])
  })
})

describe('calls of Codex', () => {
  const json = (exitCode: number) =>
    JSON.stringify({ output: 'Exit code: 7', metadata: { exit_code: exitCode, duration_seconds: 0.1 } })

  it('run the script that a shell gets, or the words as they are', () => {
    expect(shows('shell', { command: ['bash', '-lc', 'npm test'], workdir: '/x' }, result(json(1)))).toEqual([
      ran('npm test', 1),
    ])
    expect(shows('shell', { command: ['git', 'commit', '-m', 'two words'] }, result(json(0)))).toEqual([
      ran('git commit -m "two words"', 0),
    ])
    expect(shows('local_shell', { action: { type: 'exec', command: ['ls'] } }, result(json(0)))).toEqual([ran('ls', 0)])
    expect(
      shows(
        'shell_command',
        { command: 'npm test' },
        result('Exit code: 3\nWall time: 1 seconds\nOutput:\nExit code: 0'),
      ),
    ).toEqual([ran('npm test', 3)])
    expect(shows('shell', { command: ['ls', 5] }, result(json(0)))).toEqual([])
  })

  it('tell the exit code above the output, which may say anything', () => {
    const ended = (code: number) =>
      `Chunk ID: a1\nWall time: 1.2 seconds\nProcess exited with code ${code}\nOutput:\nExit code: 9`
    expect(shows('exec_command', { cmd: 'make' }, result(ended(2)))).toEqual([ran('make', 2)])
    const running =
      'Chunk ID: a1\nWall time: 10 seconds\nProcess running with session ID 4242\nOutput:\nProcess exited with code 5'
    const later = [
      call('exec_command', { cmd: 'make' }),
      result(running),
      call('write_stdin', { session_id: 4242, chars: '' }),
    ]
    expect(observed([...later, result(running)])).toEqual([ran('make')])
    expect(observed([...later, result(ended(0))])).toEqual([ran('make'), ran('make', 0)])
  })

  it('change each file that a patch names', () => {
    const patch = [
      '*** Begin Patch',
      '*** Add File: docs/new.md',
      '+*** Update File: not this one',
      '*** Update File: src/a.ts',
      '*** Move to: src/b.ts',
      '@@',
      '-old',
      '+new',
      '*** Delete File: src/c.ts',
      '*** End Patch',
    ].join('\n')
    const files = ['docs/new.md', 'src/a.ts', 'src/b.ts', 'src/c.ts'].map(wrote)
    const done = result('Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:')
    expect(shows('apply_patch', patch, done)).toEqual(files)
    expect(shows('apply_patch', { input: patch }, done)).toEqual(files)
    expect(shows('apply_patch', JSON.stringify({ input: patch }), result('Done'))).toEqual(files)
    expect(shows('shell', { command: ['apply_patch', patch] }, done)).toEqual(files)
    expect(shows('shell', { command: ['bash', '-lc', `apply_patch <<'EOF'\n${patch}\nEOF`] }, done)).toEqual(files)
    expect(shows('apply_patch_call', { operation: { type: 'update_file', path: 'a.ts', diff: '' } })).toEqual([
      wrote('a.ts'),
    ])
    for (const answer of [
      failure('no'),
      result('apply_patch verification failed: no such file'),
      result('patch rejected by user'),
      result('Exit code: 1\nOutput:\nFailed'),
    ]) {
      expect(shows('apply_patch', patch, answer)).toEqual([])
    }
    for (const given of ['no patch', { input: 5 }, { operation: { path: '' } }, { operation: 'all' }]) {
      expect(shows('apply_patch', given, done)).toEqual([])
    }
  })

  it('read the files that a command only prints, if it succeeds', () => {
    const printed = (cmd: string, more: object = {}, code = 0) =>
      shows('exec_command', { cmd, ...more }, result(`Process exited with code ${code}\nOutput:\n`))
        .filter(({ kind }) => kind === 'fileRead')
        .map((one) => (one.kind === 'fileRead' ? one.path : ''))
    expect(printed('cat src/a.ts')).toEqual(['src/a.ts'])
    expect(printed("sed -n '1,200p' src/a.ts && nl -ba b.ts | sed -n '1,20p'\nhead -n 5 \"my file.md\"")).toEqual([
      'src/a.ts',
      'b.ts',
      'my file.md',
    ])
    expect(printed("tail -20 '/var/log/x y' | head -n 3")).toEqual(['/var/log/x y'])
    expect(printed('cat a.ts', { workdir: '/repo/sub/' })).toEqual(['/repo/sub/a.ts'])
    const action = { type: 'exec', command: ['cat', 'a.ts'], working_directory: '/repo' }
    expect(shows('local_shell', action)).toEqual([read('/repo/a.ts'), ran('cat a.ts')])
    expect(printed('cat /etc/hosts; cat a.ts; cat a.ts', { workdir: '/repo' })).toEqual(['/etc/hosts', '/repo/a.ts'])
    expect(shows('shell', { command: ['cat', 'a.ts'] }, result('{"metadata":{"exit_code":0}}'))).toContainEqual(
      read('a.ts'),
    )
    for (const cmd of [
      'cat a.ts > b.ts',
      'cat *.ts',
      'cat $FILE',
      'cat a b',
      'cat -n',
      'rg cat a.ts',
      'cd sub && cat a.ts',
      'cat',
    ]) {
      expect(printed(cmd)).toEqual([])
    }
    expect(printed('cat gone.ts', {}, 1)).toEqual([])
    expect(shows('Bash', { command: 'cat a.ts' }, result('exit code 5'))).toEqual([read('a.ts'), ran('cat a.ts', 0)])
    expect(shows('Bash', { command: 'cat a.ts' }, failure('Exit code 1\ngone'))).toEqual([ran('cat a.ts', 1)])
    expect(shows('run_shell', { command: 'cat a.ts' })).toEqual([read('a.ts'), ran('cat a.ts')])
  })

  it('ask the user: the answers are decisions, but for secrets', () => {
    const questions = [
      { id: 'store', header: 'Store', question: 'Which store?', options: [] },
      { id: 'key', header: 'Key', question: 'Which key?', isSecret: true },
      { id: 'other', header: 'Other', question: 'Why?' },
    ]
    const answers = { store: { answers: ['SQLite', 'one file'] }, key: { answers: ['k'] }, other: { answers: 5 } }
    expect(shows('request_user_input', { questions }, result(JSON.stringify({ answers })))).toEqual([
      { kind: 'note', id: 'c1', text: 'Decision: Which store? SQLite, one file' },
    ])
    for (const text of ['{', '{}', 'aborted'])
      expect(shows('request_user_input', { questions }, result(text))).toEqual([])
  })

  it('plan their steps and look at images', () => {
    const plan = [
      { step: 'Read', status: 'completed' },
      { step: 'Write', status: 'cancelled' },
    ]
    expect(shows('update_plan', { plan })).toEqual([{ kind: 'plan', id: 'c1', text: '[x] Read\n[x] Write' }])
    expect(shows('view_image', { path: 'a.png' })).toEqual([read('a.png')])
  })
})

describe('calls of other known tools', () => {
  it("Anthropic's text editor and bash", () => {
    expect(shows('str_replace_based_edit_tool', { command: 'view', path: 'a.ts' })).toEqual([read('a.ts')])
    expect(shows('str_replace_editor', { command: 'create', path: 'a.ts', file_text: '' })).toEqual([wrote('a.ts')])
    expect(shows('str_replace_based_edit_tool', { command: 'dance', path: 'a.ts' })).toEqual([])
    expect(shows('bash', { command: 'make' }, result('done'))).toEqual([ran('make')])
    expect(shows('bash', { restart: true })).toEqual([])
  })

  it('file servers of the Model Context Protocol, with and without a prefix', () => {
    expect(shows('mcp__files__read_text_file', { path: 'a.ts' })).toEqual([read('a.ts')])
    expect(shows('files.read_file', { path: 'a.ts' })).toEqual([read('a.ts')])
    expect(shows('write_file', { path: 'a.ts', content: '' })).toEqual([wrote('a.ts')])
    expect(shows('edit_file', { path: 'a.ts', edits: [] })).toEqual([wrote('a.ts')])
    expect(shows('edit_file', { path: 'a.ts', edits: [], dryRun: true })).toEqual([])
    expect(shows('move_file', { source: 'a.ts', destination: 'b.ts' })).toEqual([wrote('a.ts'), wrote('b.ts')])
    const several = result('a.ts:\nx\n\n---\nb.ts: Error - ENOENT')
    expect(shows('read_multiple_files', { paths: ['a.ts', 'b.ts', ''] }, several)).toEqual([read('a.ts')])
    expect(shows('read_multiple_files', { paths: [] })).toEqual([])
    expect(shows('list_directory', { path: '.' })).toEqual([])
  })

  it('shell servers, by the exit code that they report', () => {
    const codes: [answer: string, code?: number][] = [
      ['{"stdout":"","return_code":4}', 4],
      ['{"result":{"exitCode":0}}', 0],
      ['[{"stdout":"","outcome":{"type":"exit","exit_code":2}}]', 2],
      ['{"output":[{"outcome":{"exit_code":3}}]}', 3],
      ['Output: x\nExit Code: 1\nProcess Group PGID: 42', 1],
      ['Command failed with exit code 5', 5],
      ['{"code":1}'],
      ['{broken'],
      ['no code here'],
    ]
    for (const [answer, code] of codes) {
      expect(shows('mcp__sh__execute-command', { command: 'make' }, result(answer))).toEqual([ran('make', code)])
    }
    expect(shows('run_command', { command: 'ls', args: '["-l", "a b"]' })).toEqual([ran('ls -l "a b"')])
    expect(shows('run_command', { command: 'ls', args: ['-l'] })).toEqual([ran('ls -l')])
    for (const args of ['', 'no list', '{}', [], 5])
      expect(shows('run_command', { command: 'ls', args })).toEqual([ran('ls')])
    expect(shows('run_command', { command: 'ls', args: [5] })).toEqual([])
    expect(shows('shell_execute', { command: ['ls', '-l'] })).toEqual([ran('ls -l')])
  })
})

describe('the pairing of calls and results', () => {
  it('takes calls that a message announces, and each call once', () => {
    const message: Said = {
      type: 'model_message',
      parts: { toolCalls: [{ id: 'c1', name: 'Read', arguments: '{"file_path":"a"}' }] },
    }
    expect(observed([message, result(''), result('')])).toEqual([read('a')])
    expect(observed([message, call('Read', { file_path: 'a' }), result('')])).toEqual([read('a')])
    expect(observed([call('Read', { file_path: 'a' }), call('Read', { file_path: 'b' }), result('')])).toEqual([
      read('b'),
    ])
    expect(observed([call('Read', { file_path: 'a' }), call('Other', {}), result('')])).toEqual([])
    expect(observed([result(''), call('Read', { file_path: 'a' })])).toEqual([])
  })

  it('names files from the folder of the session', () => {
    const started = (cwd: Json): Said => ({ type: 'session_started', parts: { metadata: { cwd } } })
    const at = (cwd: Json, path: string) => observed([started(cwd), call('Read', { file_path: path }), result('')])
    expect(at('/home/ada/app', '/home/ada/app/src/a.ts')).toEqual([read('src/a.ts')])
    expect(at('/home/ada/app/', '/home/ada/app/src/a.ts')).toEqual([read('src/a.ts')])
    expect(at('C:\\app', 'C:\\app\\a.ts')).toEqual([read('a.ts')])
    expect(at('/home/ada/app', '/home/ada/apple/a.ts')).toEqual([read('/home/ada/apple/a.ts')])
    expect(at('/home/ada/app', '/home/ada/app')).toEqual([read('/home/ada/app')])
    expect(at('/home/ada/app', './src/a.ts')).toEqual([read('src/a.ts')])
    for (const cwd of ['', 5, 'x'.repeat(5000)]) expect(at(cwd, '/a.ts')).toEqual([read('/a.ts')])
    expect(observed([{ type: 'session_started' }, call('Read', { file_path: '/a' }), result('')])).toEqual([read('/a')])
  })

  it('keeps a bounded number of open calls, the newest', () => {
    const many = Array.from({ length: 1200 }, (_, i) => call('Read', { file_path: `${i}` }, `c${i}`))
    expect(observed([...many, result('', {}, 'c0'), result('', {}, 'c1199')])).toEqual([read('1199')])
    const fold = toolFold(toolTable())
    const long = Array.from({ length: 900 }, (_, i) => call('Read', { file_path: `${i}${'x'.repeat(1000)}` }, `c${i}`))
    for (const event of log(...long)) fold.add(event)
    expect(fold.state().length).toBeLessThan(300 * 1024)
  })

  it('cuts commands and leaves out paths that are too long', () => {
    expect(shows('bash', { command: 'x'.repeat(5000) })).toEqual([ran(`${'x'.repeat(999)}…`)])
    expect(shows('Read', { file_path: 'x'.repeat(1025) })).toEqual([])
    expect(observed([call('Read', { file_path: 'a' }, 'x'.repeat(501)), result('', {}, 'x'.repeat(501))])).toEqual([])
  })
})

describe("the caller's tools", () => {
  const own = (rule: ToolRule) => toolTable(new Map([['deploy', rule]]), 'mine')
  const used = (rule: ToolRule, given: Json, answer = result('ok'), name = 'deploy') =>
    observed([call(name, given), answer], own(rule))

  it('are described by their arguments', () => {
    expect(used({ fileRead: 'in', fileWrite: 'out', command: 'run' }, { in: 'a', out: ['b', 'c'], run: 'go' })).toEqual(
      [read('a'), wrote('b'), wrote('c'), ran('go')],
    )
    expect(used({ fileRead: 'in' }, { in: 'a' }, result('ok'), 'mcp__ops__deploy')).toEqual([read('a')])
    expect(used({ command: 'run' }, { other: 'go' })).toEqual([])
  })

  it('come before the known ones, and may switch them off', () => {
    const table = toolTable(
      new Map<string, ToolRule>([
        ['bash', false],
        ['Read', { fileWrite: 'file_path' }],
      ]),
      'mine',
    )
    expect(observed([call('bash', { command: 'make' }), result('')], table)).toEqual([])
    expect(observed([call('Read', { file_path: 'a' }), result('')], table)).toEqual([wrote('a')])
  })

  it('may be a function of the call and its result', () => {
    const seen: unknown[] = []
    const rule: ToolRule = (use) => {
      seen.push(use)
      return [ran('deploy', use.isError ? 1 : 0), wrote('/app/x'), read('./y')]
    }
    const started: Said = { type: 'session_started', parts: { metadata: { cwd: '/app' } } }
    expect(observed([started, call('deploy', { to: 'here' }), failure('no')], own(rule))).toEqual([
      ran('deploy', 1),
      wrote('x'),
      read('y'),
    ])
    expect(seen).toEqual([{ id: 'c1', name: 'deploy', arguments: { to: 'here' }, result: 'no', isError: true }])
    expect(used(rule, { much: 'x'.repeat(70_000) })).toEqual([])
    expect(own(rule).name).not.toBe(toolTable().name)
    expect(own(rule).observe({ id: 'c1', name: 'other', arguments: {}, result: '', isError: false })).toEqual([])
  })
})

describe('any log', () => {
  const name = fc.oneof(fc.constantFrom(...KNOWN_TOOLS.keys()), fc.string())
  const key = fc.constantFrom(
    'file_path',
    'path',
    'paths',
    'command',
    'cmd',
    'input',
    'operation',
    'todos',
    'plan',
    'args',
    'session_id',
    'questions',
  )
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<Json>('*** Begin Patch\n*** Add File: a', ['bash', '-lc', 'ls'], [{ id: 'a', question: 'b' }]),
  )
  const given = fc.oneof(fc.dictionary(key, value), fc.jsonValue(), fc.json()) as fc.Arbitrary<Json>
  const answer = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom('Exit code 1', 'Process running with session ID 1\nOutput:\n', '"b"="c"', '{"answers":{"a":{}}}'),
  )
  const id = fc.constantFrom('a', 'b', 'c')
  const entry: fc.Arbitrary<Said> = fc.oneof(
    fc.tuple(name, given, id).map((each) => call(...each)),
    fc.tuple(answer, fc.record({ isError: fc.boolean() }), id).map((each) => result(...each)),
    fc.record({
      type: fc.constantFrom('tool_call', 'tool_result', 'model_message', 'session_started'),
      parts: given,
    }) as fc.Arbitrary<Said>,
  )

  it('can be read, to a bounded result, and continued from any event', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 30 }), fc.nat(30), (entries, cut) => {
        const events = log(...entries)
        const whole = toolFold(toolTable())
        const expected = events.map((event) => whole.add(event))
        const first = toolFold(toolTable())
        const before = events.slice(0, cut).map((event) => first.add(event))
        const second = toolFold(toolTable(), first.state())
        expect([...before, ...events.slice(cut).map((event) => second.add(event))]).toEqual(expected)
        expect(second.state()).toBe(whole.state())
        for (const work of expected) expect(work?.observations.length ?? 0).toBeLessThanOrEqual(101)
      }),
    )
  })
})
