import { liveRollout } from './live-rollout.ts'
import {
  append,
  type Cast,
  call,
  calls,
  create,
  eventsOf,
  handOver,
  note,
  observe,
  on,
  patch,
  plan,
  ran,
  read,
  relate,
  remember,
  result,
  type Step,
  says,
  user,
  wrote,
} from './script.ts'
import { TURNS } from './turns.ts'

const PLAN = `Here is what I would do, smallest step first:

1. Keep open connections in a **pool** instead of closing them.
2. Lend them out *one caller at a time*, and queue the rest.
3. Prove it with a test that cuts a connection while it is lent out.

\`\`\`ts
const pool = createPool({ url, size: 10 })
await pool.use((connection) => connection.query(sql))
\`\`\`

What stays the same:

- the signature of \`connect()\`
- the retries we added last time
- the timeout of 8 s`

const MEASURED = `I replayed Tuesday's traffic against a copy of the database:

| pool size | succeed | waiting | 99th percentile |
| :-- | --: | --: | --: |
| none, as today | 98.1 % | 0 % | 2.4 s |
| 5 | 99.2 % | 11 % | 1.1 s |
| 10 | 99.6 % | 0.8 % | 0.4 s |
| 10, idle ones closed | **99.8 %** | 0.9 % | **0.4 s** |

Two conclusions:

- A pool helps at any size. Closing idle connections helps *again*: the database refuses fewer new ones.
- **Beyond 10, nothing gets faster.**

> The copy responds a little faster than the real database, so read the last column as a lower bound.`

const CODE = `Callers now borrow a connection and return it:

\`\`\`ts
export async function use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = idle.pop() ?? (await connect(url, { maxRetries }))
  try {
    return await work(connection)
  } finally {
    if (idle.length < size) idle.push(connection)
    else connection.close()
  }
}
\`\`\`

\`query.ts\` uses it and no longer calls \`connect()\` itself.`

/** The second session, which the fifth turn starts: a dozen turns, three agents, and a question that is still open. */
export function liveSession(cast: Cast): Step[] {
  return [...planning(cast), ...building(cast), ...liveRollout(cast)]
}

function planning(cast: Cast): Step[] {
  const { lead, analyst } = cast
  const message = TURNS[4].says
  return [
    create('live', cast, {
      agent: lead,
      task: message,
      workflow: 'feature',
      skill: 'typescript',
      gitBranch: 'feat/connection-pool',
      metadata: { service: 'gateway', ticket: 'GW-421' },
    }),
    append('live', [user(message), says(lead, PLAN)]),
    patch('live', 'state', {
      current_task: 'Read the connect module',
      spec_file: 'docs/specs/connection-pool.md',
      files_in_progress: [],
      blockers: [],
      attempts: 0,
    }),
    patch('live', 'envelope', {
      personaId: 'careful-engineer',
      metadata: { reviewer: 'grace' },
      analysis: { intent: 'feature', sentiment: 'curious', tags: ['database', 'reliability'] },
    }),
    append(
      'live',
      [
        user('Good. Start with the connect module.'),
        says(
          lead,
          'I read the three files that matter at once.',
          call('read-1', 'read_file', { path: 'src/connect.ts' }),
          call('read-2', 'read_file', { path: 'src/query.ts' }),
          call('read-3', 'read_file', { path: 'docs/database/limits.md' }),
        ),
        result('read-1', 'export async function connect(url: string, { maxRetries = 5 } = {}) { … }\n'),
        result('read-2', 'const connection = await connect(url)\ntry { … } finally { connection.close() }\n'),
        result('read-3', "ENOENT: no such file or directory, open 'docs/database/limits.md'", true),
        says(
          lead,
          '`query.ts` opens a connection **for every query**. The limits of the database are not documented here, so I will ask when we need them.',
        ),
      ],
      'files',
    ),
    observe('live', (results) => [
      read('src/connect.ts'),
      read('src/query.ts'),
      plan('Pool first, then its callers, then the proof'),
      note('query.ts is the only caller of connect()'),
      relate(
        ['file:src/query.ts', 'imports', 'file:src/connect.ts'],
        ['file:src/connect.ts', 'defines', 'item:connect'],
        ['file:src/query.ts', 'defines', 'item:query'],
        ['item:query', 'calls', 'item:connect', { event: results.sequence('files') + 3, confidence: 0.95 }],
      ),
    ]),
    on('live', 'gates', { gate: 1, note: 'Every caller of connect() is known' }),
    ...handOver('live', lead, analyst, 'The size of the pool has to be measured', {
      artifacts_created: ['docs/specs/connection-pool.md'],
      key_decisions: ['Keep the signature of connect()', 'Retries stay inside connect()'],
      question: 'How many connections should the pool hold?',
    }),
    append('live', [
      user('How many connections should the pool hold?'),
      says(
        analyst,
        '',
        call('measure-1', 'replay_traffic', { day: 'Tuesday', pool: 0 }),
        call('measure-2', 'replay_traffic', { day: 'Tuesday', pool: 5 }),
        call('measure-3', 'replay_traffic', { day: 'Tuesday', pool: 10 }),
        call('measure-4', 'replay_traffic', { day: 'Tuesday', pool: 10, closeIdle: true }),
      ),
      result('measure-1', '{"succeed":0.981,"waiting":0,"p99":2.4}'),
      result('measure-2', '{"succeed":0.992,"waiting":0.11,"p99":1.1}'),
      result('measure-3', '{"succeed":0.996,"waiting":0.008,"p99":0.4}'),
      result('measure-4', '{"succeed":0.998,"waiting":0.009,"p99":0.4}'),
      says(analyst, MEASURED),
    ]),
    on('live', 'ask', {
      question:
        'Which pool should I build?\n\n- **A** 5 connections\n- **B** 10 connections\n- **C** 10, idle ones closed: best',
    }),
    on('live', 'answer', { text: 'C, and close idle ones after 30 seconds.' }),
  ]
}

function building(cast: Cast): Step[] {
  const { lead, planner, analyst } = cast
  return [
    ...handOver('live', analyst, planner, 'It is clear what to build: 10 connections, idle ones closed', {
      artifacts_created: ['reports/replay-tuesday.json'],
      key_decisions: ['10 connections', 'Idle ones close after 30 s'],
    }),
    patch('live', 'state', {
      current_task: 'Write the pool',
      files_in_progress: ['src/pool.ts', 'src/query.ts'],
      pool: { size: 10, idleSeconds: 30 },
    }),
    append(
      'live',
      [
        user('Go ahead and write it.'),
        calls(planner, call('write-1', 'write_file', { path: 'src/pool.ts' })),
        result('write-1', 'written, 641 bytes'),
        calls(planner, call('write-2', 'write_file', { path: 'src/query.ts' })),
        result('write-2', 'written, 188 bytes'),
        says(planner, CODE),
        calls(planner, call('test-1', 'run', { command: 'npm test -- pool' })),
        result('test-1', 'FAIL pool.test.ts\n  ✗ closes idle connections\n11 passed, 1 failed', true),
      ],
      'written',
    ),
    observe('live', (results) => [
      note('Decision: the pool holds 10 connections and closes idle ones after 30 s'),
      wrote('src/pool.ts', CODE),
      wrote('src/query.ts', 'return await use((connection) => connection.query(sql))\n'),
      ran('npm test -- pool', 1, 'closes idle connections: expected 0, got 1\n11 passed, 1 failed'),
      relate(
        ['item:use', 'dependsOn', 'item:connect', { event: results.sequence('written') + 5 }],
        ['file:src/pool.ts', 'defines', 'item:use'],
        ['file:src/query.ts', 'imports', 'file:src/pool.ts'],
        ['file:src/pool.ts', 'imports', 'file:src/connect.ts'],
        ['diagnostic:npm test -- pool', 'references', 'item:use', { event: results.sequence('written') + 7 }],
      ),
    ]),
    on('live', 'state/increment', { key: 'attempts' }),
    on('live', 'state/add', { key: 'blockers', value: 'One connection is never closed' }),
    on('live', 'interrupt', {
      text: 'Stop for a moment: since its upgrade the database allows `8` connections per client.',
    }),
    append(
      'live',
      [
        says(
          planner,
          'Good to know now. I lower the size, and fix the timer that never fires.',
          call('write-3', 'edit_file', { path: 'src/pool.ts', replace: 'size: 10', by: 'size: 8' }),
          call('write-4', 'edit_file', { path: 'src/pool.test.ts', replace: 'toBe(1)', by: 'toBe(0)' }),
        ),
        result('write-3', '1 replacement'),
        result('write-4', 'nothing to replace', true),
      ],
      'limit',
    ),
    on('live', 'incorporate', {
      note: 'The pool holds 8 connections',
      observations: [note('Decision: the pool holds 8 connections, the limit of the database')],
    }),
    remember(cast, 'memory-limit', (results) => ({
      content: 'The database allows 8 connections per client since its upgrade',
      confidence: 0.9,
      // the interruption, three events before the reply
      source: eventsOf(results, 'live', 'limit', -3),
    })),
    append('live', [
      user('And the test?'),
      calls(planner, call('test-2', 'run', { command: 'npm test -- pool' })),
      result('test-2', '12 passed'),
      says(planner, 'The test was right and the timer was wrong. **12 of 12 pass** now.'),
    ]),
    observe('live', [
      wrote('src/pool.ts', CODE.replace('idle.length < size', 'idle.length < 8')),
      wrote('src/pool.test.ts', 'it("closes idle connections", …)\n'),
      ran('npm test -- pool', 0, '12 passed'),
      ran('npm run lint', 0),
    ]),
    patch('live', 'state', { blockers: [], current_task: 'Show that it holds under load' }),
    on('live', 'gates', { gate: 2, note: 'All tests of the pool pass' }),
    patch('live', 'envelope', { analysis: { sentiment: 'satisfied', tags: ['database', 'reliability', 'pool'] } }),
    on('live', 'propose', { summary: 'Queries share a pool of 8 connections. 12 tests pass.' }),
    on('live', 'continue', { request: 'Before I confirm: add a metric, and a runbook entry.' }),
    ...handOver('live', planner, lead, 'The rest is operations, and the lead knows the runbook', {
      artifacts_created: ['src/pool.ts', 'src/pool.test.ts'],
      key_decisions: ['8 connections', 'Idle ones close after 30 s'],
      open: ['a metric', 'the runbook'],
    }),
  ]
}
