import { CODE, MEASURED, PLAN, RUNBOOK } from './live-texts.ts'
import {
  append,
  appendAs,
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
  runs,
  type Step,
  says,
  user,
  wrote,
} from './script.ts'
import { TURNS } from './turns.ts'

/** The second session, which the fifth turn starts: a dozen turns, three agents, and a question that is still open. */
export function liveSession(cast: Cast): Step[] {
  return [...planning(cast), ...building(cast), ...rollOut(cast)]
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
    appendAs('files', 'live', [
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
    ]),
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
    appendAs('written', 'live', [
      user('Go ahead and write it.'),
      ...runs(planner, 'write-1', 'write_file', { path: 'src/pool.ts' }, 'written, 641 bytes'),
      ...runs(planner, 'write-2', 'write_file', { path: 'src/query.ts' }, 'written, 188 bytes'),
      says(planner, CODE),
      calls(planner, call('test-1', 'run', { command: 'npm test -- pool' })),
      result('test-1', 'FAIL pool.test.ts\n  ✗ closes idle connections\n11 passed, 1 failed', true),
    ]),
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
    appendAs('limit', 'live', [
      says(
        planner,
        'Good to know now. I lower the size, and fix the timer that never fires.',
        call('write-3', 'edit_file', { path: 'src/pool.ts', replace: 'size: 10', by: 'size: 8' }),
        call('write-4', 'edit_file', { path: 'src/pool.test.ts', replace: 'toBe(1)', by: 'toBe(0)' }),
      ),
      result('write-3', '1 replacement'),
      result('write-4', 'nothing to replace', true),
    ]),
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
      ...runs(planner, 'test-2', 'run', { command: 'npm test -- pool' }, '12 passed'),
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

/** The metric, the runbook, the proof, and the question that is still open. */
function rollOut(cast: Cast): Step[] {
  const { lead, analyst } = cast
  return [
    appendAs('runbook', 'live', [
      says(
        lead,
        'First the counter. Where are the other metrics defined?',
        call('find-m', 'grep', { text: 'new Counter', path: 'src' }),
      ),
      result('find-m', 'src/metrics.ts:4: export const errors = new Counter({ name: "connect_errors_total" })'),
      ...runs(lead, 'write-5', 'edit_file', { path: 'src/metrics.ts' }, 'written, 402 bytes'),
      says(lead, '`pool_waiting_total` counts queries that waited, with the machine as a label.'),
      user('How many label values can there be? I do not want thousands.'),
      says(lead, 'Twelve, one for each machine.'),
      user('Fine. Now the runbook.'),
      ...runs(lead, 'write-6', 'write_file', { path: 'docs/runbook.md' }, 'written, 1,204 bytes'),
      says(lead, RUNBOOK),
    ]),
    observe('live', (results) => [
      read('src/metrics.ts'),
      wrote('src/metrics.ts', 'export const waiting = new Counter(…)\n'),
      wrote('docs/runbook.md', RUNBOOK),
      note('Decision: the alert comes later, after a week of numbers'),
      relate(
        ['file:src/pool.ts', 'imports', 'file:src/metrics.ts'],
        ['file:docs/runbook.md', 'mentions', 'item:pool_waiting_total', { event: results.sequence('runbook') + 10 }],
        ['file:src/metrics.ts', 'defines', 'item:pool_waiting_total'],
      ),
    ]),
    patch('live', 'state', { files_in_progress: ['docs/runbook.md'], metrics: ['pool_waiting_total'] }),
    append('live', [user('What did we learn about connection failures last time? The database team asks.')]),
    on('live', 'context', { maxTokens: 6000, recall: { query: 'connection failures timeouts', limit: 4 } }),
    appendAs('proof', 'live', [
      says(lead, 'That **187 of 200** failures were timeouts which a second attempt survives, and 13 hit the limit.'),
      user('Thanks. Can you show that the pool holds under load?'),
      calls(analyst, call('prove-1', 'replay_traffic', { day: 'Tuesday', build: 'feat/connection-pool', pool: 8 })),
      result('prove-1', '{"queries":48211,"succeed":0.9981,"refused":0,"waiting":0.021}'),
      says(analyst, 'I replayed all of Tuesday: 48,211 queries, *none* refused. 2.1 % had to wait.'),
      {
        type: 'x.deployment',
        content: 'gateway 4.13.0-rc.1 on staging',
        agentId: lead,
        parts: { version: '4.13.0-rc.1', stage: 'staging', healthy: true },
      },
    ]),
    on('live', 'gates', { gate: 3, note: 'A day of traffic without a refused connection' }),
    remember(cast, 'memory-proof', (results) => ({
      content: 'With a pool of 8 connections, a replayed day of 48,211 queries had no refused connection',
      sourceType: 'tool_output',
      confidence: 0.75,
      source: eventsOf(results, 'live', 'proof', 3, 4),
    })),
    on('live', 'state/increment', { key: 'attempts' }),
    on('live', 'reduce', { maxTokens: 4000, strategy: 'summarize' }),
    append('live', [
      user('Then put it on one machine in production and watch it.'),
      says(
        lead,
        'It goes to one machine of twelve. I watch its errors meanwhile.',
        call('ship-1', 'watch_errors', { service: 'gateway', minutes: 10 }),
        call('ship-2', 'deploy_canary', { version: '4.13.0-rc.1', machines: 1 }),
      ),
      result('ship-1', '0 errors in 10 minutes'),
    ]),
    observe('live', [
      ran('deploy gateway 4.13.0-rc.1 --machines 1', undefined, 'waiting for the load balancer …'),
      plan('All twelve machines once the canary was quiet for an hour'),
    ]),
    patch('live', 'state', {
      current_task: 'Wait for permission to continue',
      canary: { version: '4.13.0-rc.1', machines: 1 },
    }),
    on('live', 'ask', {
      question:
        'The canary had no errors in ten minutes, but its deployment has not reported back. Should I continue on all twelve machines, or wait for the full hour?',
    }),
  ]
}
