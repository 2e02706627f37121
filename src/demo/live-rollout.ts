import {
  append,
  type Cast,
  call,
  calls,
  eventsOf,
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

const RUNBOOK = `The runbook has a new section, *Queries are slow*:

1. Look at \`pool_waiting_total\`. Below **5 %** of all queries: do nothing.
2. Above it: is the database slow? Its status page is linked in \`#database\`.
3. Above **20 %**: restart one machine, and tell the team.

- [x] metric, with the machine as a label
- [x] runbook
- [ ] alert at 5 %`

/** The metric, the runbook, the proof, and the question that is still open. */
export function liveRollout(cast: Cast): Step[] {
  const { lead, analyst } = cast
  return [
    append(
      'live',
      [
        says(
          lead,
          'First the counter. Where are the other metrics defined?',
          call('find-m', 'grep', { text: 'new Counter', path: 'src' }),
        ),
        result('find-m', 'src/metrics.ts:4: export const errors = new Counter({ name: "connect_errors_total" })'),
        calls(lead, call('write-5', 'edit_file', { path: 'src/metrics.ts' })),
        result('write-5', 'written, 402 bytes'),
        says(lead, '`pool_waiting_total` counts queries that waited, with the machine as a label.'),
        user('How many label values can there be? I do not want thousands.'),
        says(lead, 'Twelve, one for each machine.'),
        user('Fine. Now the runbook.'),
        calls(lead, call('write-6', 'write_file', { path: 'docs/runbook.md' })),
        result('write-6', 'written, 1,204 bytes'),
        says(lead, RUNBOOK),
      ],
      'runbook',
    ),
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
    append(
      'live',
      [
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
      ],
      'proof',
    ),
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
