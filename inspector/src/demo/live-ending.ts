import {
  append,
  type Cast,
  call,
  calls,
  eventsOf,
  on,
  patch,
  remember,
  result,
  type Step,
  says,
  user,
} from './script.ts'

const RUNBOOK = `The runbook has a new part, *Checkout is slow*:

1. Look at \`checkout_payment_retries_total\`. Below **5 %** of all charges: do nothing.
2. Above it: is the provider slow? Its status page is in the channel \`#payments\`.
3. Above **20 %**: set \`PAYMENT_RETRIES=1\`, and tell them.

- [x] metric, with the attempt as a label
- [x] runbook
- [ ] alert at 5 %`

/** The metric, the runbook, the proof, and the question that waits. */
export function liveEnding(cast: Cast): Step[] {
  const { lead, analyst } = cast
  return [
    append(
      'live',
      [
        says(lead, 'A counter, then. Where do the other metrics of checkout live?', [
          call('find-m', 'grep', { text: 'new Counter', path: 'src' }),
        ]),
        result(
          'find-m',
          'src/metrics/checkout.ts:4: export const errors = new Counter({ name: "checkout_errors_total" })',
        ),
        calls(lead, call('write-5', 'edit_file', { path: 'src/metrics/checkout.ts' })),
        result('write-5', 'written, 402 bytes'),
        says(lead, 'There is `checkout_payment_retries_total` now, with the number of the attempt as a label.'),
        user('Which label values can there be? I do not want thousands.'),
        says(lead, 'Three: `1`, `2` and `3`. Nothing else is counted by it.'),
        user('Fine. Now the runbook.'),
        calls(lead, call('write-6', 'write_file', { path: 'docs/runbooks/checkout.md' })),
        result('write-6', 'written, 1,204 bytes'),
        says(lead, RUNBOOK),
      ],
      'runbook',
    ),
    on('live', 'steps', (told) => ({
      observations: [
        { kind: 'fileRead', path: 'src/metrics/checkout.ts' },
        { kind: 'fileWrite', path: 'src/metrics/checkout.ts', content: 'export const retries = new Counter(…)\n' },
        { kind: 'fileWrite', path: 'docs/runbooks/checkout.md', content: RUNBOOK },
        { kind: 'note', text: 'Decision: an alert is for later, when a week of numbers is there' },
        {
          kind: 'relations',
          edges: [
            {
              from: 'file:src/payment/client.ts',
              label: 'imports',
              to: 'file:src/metrics/checkout.ts',
              evidence: { tool: 'tsc' },
            },
            {
              from: 'file:docs/runbooks/checkout.md',
              label: 'mentions',
              to: 'item:checkout_payment_retries_total',
              evidence: { event: told.sequence('runbook') + 10 },
            },
            { from: 'file:src/metrics/checkout.ts', label: 'defines', to: 'item:checkout_payment_retries_total' },
          ],
        },
      ],
    })),
    patch('live', 'state', {
      files_in_progress: ['docs/runbooks/checkout.md'],
      metrics: ['checkout_payment_retries_total'],
    }),
    append('live', [
      user('What did we find out about double charges the last time? I have to tell the payments team.'),
    ]),
    on('live', 'context', { maxTokens: 6000, recall: { query: 'double charges idempotency key', limit: 4 } }),
    append(
      'live',
      [
        says(
          lead,
          'That the first attempt had gone through at the provider while we saw a timeout: **13 of 200** errors, each on a second attempt, none with a key.',
        ),
        user('Thanks. Can you show that it cannot happen any more?'),
        calls(
          analyst,
          call('prove-1', 'replay_traffic', { day: 'Tuesday', build: 'fix/checkout-retry', cutAfterCharge: true }),
        ),
        result('prove-1', '{"orders":48211,"succeed":0.9981,"double":0,"retried":0.021}'),
        says(
          analyst,
          'I replayed the whole Tuesday and cut **each tenth** connection right after the charge: 48,211 orders, *no* double charge. 2.1 % needed a second attempt.',
        ),
        {
          type: 'x.deployment',
          content: 'checkout 4.13.0-rc.1 on staging',
          agentId: lead,
          parts: { version: '4.13.0-rc.1', stage: 'staging', healthy: true },
        },
      ],
      'proof',
    ),
    on('live', 'gates', { gate: 3, note: 'A day of traffic without a double charge' }),
    remember(cast, 'memory-proof', (told) => ({
      content: 'With the retry under one key a replayed day of 48,211 orders had no double charge',
      sourceType: 'tool_output',
      confidence: 0.75,
      source: eventsOf(told, 'live', 'proof', 3, 4),
    })),
    on('live', 'state/increment', { key: 'attempts' }),
    on('live', 'reduce', { maxTokens: 4000, strategy: 'summarize' }),
    append(
      'live',
      [
        user('Then put it on one machine in production and watch it.'),
        says(lead, 'It goes to one machine of twelve. I follow its errors meanwhile.', [
          call('ship-1', 'watch_errors', { service: 'checkout', minutes: 10 }),
          call('ship-2', 'deploy_canary', { version: '4.13.0-rc.1', machines: 1 }),
        ]),
        result('ship-1', '0 errors in 10 minutes; 1 retry, which succeeded'),
      ],
      'canary',
    ),
    on('live', 'steps', {
      observations: [
        {
          kind: 'command',
          command: 'deploy checkout 4.13.0-rc.1 --machines 1',
          output: 'waiting for the load balancer …',
        },
        { kind: 'plan', text: 'All twelve machines once the canary was quiet for an hour' },
      ],
    }),
    patch('live', 'state', {
      current_task: 'Wait for the word to go on',
      canary: { version: '4.13.0-rc.1', machines: 1 },
    }),
    on('live', 'ask', {
      question:
        'The canary had no errors in ten minutes, but the deployment has not reported back yet. Shall I go on to all twelve machines, or wait for the full hour?',
    }),
  ]
}
