import { append, type Cast, call, create, handOver, on, patch, result, type Step, says, user } from './script.ts'

/** The first session of the conversation: the cause is looked for, found and confirmed, and the session is compacted. */
export function finishedSession(cast: Cast): Step[] {
  const { lead, analyst } = cast
  return [
    create('finished', cast, {
      chatmode: 'engineering',
      agent: lead,
      task: 'Find out why one checkout in fifty fails',
      workflow: 'incident',
      gitBranch: 'main',
      metadata: { service: 'checkout', ticket: 'CHK-418', severity: 2 },
    }),
    append(
      'finished',
      [
        {
          type: 'system_event',
          content: 'Alert: checkout_errors_total above 2 % for 30 minutes',
          parts: { severity: 2 },
        },
        user(
          'Since Tuesday one checkout in fifty fails, at no particular time of day. Find out why, please. Change nothing yet.',
        ),
        says(lead, 'I will look at what failed and at what changed on Tuesday, side by side.', [
          call('find-1', 'query_logs', { service: 'checkout', level: 'error', since: '2d', limit: 200 }),
          call('find-2', 'query_metrics', { metric: 'payment_latency_seconds', quantile: 0.99, range: '7d' }),
          call('find-3', 'list_deployments', { service: 'checkout', since: '7d' }),
        ]),
        result('find-1', '187 of 200: PaymentTimeout after 2000 ms\n13 of 200: DuplicateCharge'),
        result('find-2', 'Mon 0.8 s\nTue 2.1 s\nWed 2.3 s\nThu 2.2 s'),
        result('find-3', 'checkout 4.12.0  Tue 09:12  "lower the payment timeout to 2 s"'),
        says(
          lead,
          [
            'Three findings:',
            '',
            '1. Of 200 errors **187 are timeouts** of the call to the payment provider.',
            '2. Its 99th percentile went from *0.8 s to 2.1 s* on Tuesday.',
            '3. On the same day `checkout 4.12.0` lowered our timeout to 2 s.',
            '',
            'The 13 `DuplicateCharge` do not fit yet. I would like somebody to look at the pattern.',
          ].join('\n'),
        ),
      ],
      'timeouts',
    ),
    on('finished', 'steps', {
      observations: [
        { kind: 'fileRead', path: 'src/payment/client.ts' },
        { kind: 'fileRead', path: 'src/checkout/submit.ts' },
        { kind: 'fileRead', path: 'ops/deployments.log' },
        {
          kind: 'command',
          command: 'git log --oneline -5 src/payment',
          exitCode: 0,
          output: '9f1c2aa lower the payment timeout to 2 s',
        },
      ],
    }),
    ...handOver('finished', lead, analyst, 'The double charges have a pattern that somebody should look at in peace', {
      key_decisions: ['Nothing is changed in this session'],
      errors: { timeouts: 187, doubles: 13 },
    }),
    append(
      'finished',
      [
        user('Are the double charges ours, or does the provider charge twice?'),
        says(analyst, '', [
          call('find-4', 'query_logs', { service: 'checkout', text: 'DuplicateCharge', fields: ['order', 'attempt'] }),
        ]),
        result(
          'find-4',
          'order 88121 attempt 2\norder 88145 attempt 2\norder 88190 attempt 2\n… 10 more, all attempt 2',
        ),
        says(
          analyst,
          [
            'Ours. **Each of them is a second attempt.** The first call timed out here, but went through there:',
            '',
            '| | first attempt | second attempt |',
            '| --- | --- | --- |',
            '| we see | timeout after 2 s | success |',
            '| the provider sees | success after 2.2 s | success |',
            '| the customer sees | a spinner | **two charges** |',
            '',
            'The retry in `submit.ts` sends no idempotency key, so the provider cannot tell them apart.',
          ].join('\n'),
        ),
      ],
      'doubles',
    ),
    on('finished', 'steps', (told) => ({
      observations: [
        {
          kind: 'note',
          text: 'Decision: the cause is a retry without an idempotency key, behind a timeout that is too short',
        },
        {
          kind: 'relations',
          edges: [
            {
              from: 'file:src/checkout/submit.ts',
              label: 'imports',
              to: 'file:src/payment/client.ts',
              evidence: { tool: 'tsc' },
            },
            {
              from: 'item:submitOrder',
              label: 'calls',
              to: 'item:charge',
              evidence: { event: told.sequence('doubles'), confidence: 0.9 },
            },
          ],
        },
      ],
    })),
    on('finished', 'gates', { gate: 1, note: 'The cause explains each of the 200 errors' }),
    patch('finished', 'state', { current_task: 'Write down the cause', findings: ['timeouts', 'double charges'] }),
    on('finished', 'propose', {
      summary:
        'The timeout of 2 s is shorter than the provider’s slowest 1 %, and the retry after it carries no idempotency key. So some fail, and some are charged twice.',
    }),
    on('finished', 'confirm'),
  ]
}
