import { append, type Cast, call, create, handOver, on, patch, result, type Step, says, user } from './script.ts'

const PLAN = `Here is what I would do, smallest step first:

1. Send an **idempotency key** with each charge, the same one on a retry.
2. Retry *inside* the payment client, with a pause that grows.
3. Prove it by a test that cuts the connection after the charge went through.

\`\`\`ts
const key = \`order-\${order.id}\`
await charge(order, { key, retries: 3 })
\`\`\`

What stays as it is:

- the page of the shop
- the contract with the provider
- the timeout of 8 s, for now`

const MEASURED = `I replayed the traffic of Tuesday against a copy of the provider:

| pause between attempts | succeed | charged twice | 99th percentile |
| :-- | --: | --: | --: |
| none, as it is today | 98.1 % | 0.11 % | 2.4 s |
| always 500 ms | 99.2 % | 0.09 % | 3.1 s |
| doubling from 250 ms | 99.6 % | 0.08 % | 3.3 s |
| doubling, with some chance in it | **99.8 %** | 0.08 % | **2.9 s** |

Two things follow:

- A pause that grows helps. Chance in it helps *again*: clients do not come back all at once.
- **No pause cures the double charges.** Only a key does.

> The copy answers a little faster than the provider itself, so take the last column as a lower bound.`

/** The plan, the files, and a measurement by the second agent. */
export function liveBeginning(cast: Cast): Step[] {
  const { lead, analyst } = cast
  return [
    create('live', cast, {
      chatmode: 'engineering',
      agent: lead,
      task: 'Mend the flaky checkout: retry without charging twice',
      workflow: 'bugfix',
      skill: 'typescript',
      gitBranch: 'fix/checkout-retry',
      metadata: { service: 'checkout', ticket: 'CHK-421', severity: 2 },
    }),
    append(
      'live',
      [
        user(
          'We know the cause. Now mend it: a checkout that times out should try again, and **nobody** may be charged twice.',
        ),
        says(lead, PLAN),
      ],
      'plan',
    ),
    patch('live', 'state', {
      current_task: 'Read the payment client',
      spec_file: 'docs/specs/checkout-retry.md',
      files_in_progress: [],
      blockers: [],
      attempts: 0,
    }),
    patch('live', 'envelope', {
      personaId: 'careful-engineer',
      metadata: { reviewer: 'grace' },
      analysis: { intent: 'bugfix', sentiment: 'worried', tags: ['payments', 'reliability'] },
    }),
    append(
      'live',
      [
        user('Good. Begin with the payment client.'),
        says(lead, 'I read the three files that matter at the same time.', [
          call('read-1', 'read_file', { path: 'src/payment/client.ts' }),
          call('read-2', 'read_file', { path: 'src/checkout/submit.ts' }),
          call('read-3', 'read_file', { path: 'docs/provider/idempotency.md' }),
        ]),
        result(
          'read-1',
          'export async function charge(order: Order): Promise<Receipt> {\n  return await post("/charges", order, { timeout: 8000 })\n}\n',
        ),
        result(
          'read-2',
          'try {\n  return await charge(order)\n} catch {\n  return await charge(order) // once more\n}\n',
        ),
        result('read-3', "ENOENT: no such file or directory, open 'docs/provider/idempotency.md'", true),
        says(
          lead,
          'There it is: `submit.ts` simply charges **once more**. The notes of the provider are not in the repository, so I will ask for them when we need them.',
        ),
      ],
      'files',
    ),
    on('live', 'steps', (told) => ({
      observations: [
        { kind: 'fileRead', path: 'src/payment/client.ts' },
        { kind: 'fileRead', path: 'src/checkout/submit.ts' },
        { kind: 'plan', text: 'Key first, then the retry, then the proof' },
        { kind: 'note', text: 'The second attempt in submit.ts is the only retry there is' },
        {
          kind: 'relations',
          edges: [
            {
              from: 'file:src/checkout/submit.ts',
              label: 'imports',
              to: 'file:src/payment/client.ts',
              evidence: { tool: 'tsc' },
            },
            { from: 'file:src/payment/client.ts', label: 'defines', to: 'item:charge', evidence: { tool: 'tsc' } },
            {
              from: 'item:submitOrder',
              label: 'calls',
              to: 'item:charge',
              evidence: { event: told.sequence('files') + 3, confidence: 0.95 },
            },
            {
              from: 'file:src/checkout/submit.ts',
              label: 'defines',
              to: 'item:submitOrder',
              evidence: { tool: 'tsc' },
            },
          ],
        },
      ],
    })),
    on('live', 'gates', { gate: 1, note: 'The cause is understood and can be shown in the code' }),
    ...handOver('live', lead, analyst, 'Which pause to take is a matter of measuring, not of taste', {
      artifacts_created: ['docs/specs/checkout-retry.md'],
      key_decisions: ['A key with each charge', 'The retry lives in the payment client'],
      question: 'How long should the client wait between attempts?',
    }),
    append(
      'live',
      [
        user('How long should it wait between attempts?'),
        says(analyst, '', [
          call('measure-1', 'replay_traffic', { day: 'Tuesday', pause: 'none' }),
          call('measure-2', 'replay_traffic', { day: 'Tuesday', pause: 'fixed', ms: 500 }),
          call('measure-3', 'replay_traffic', { day: 'Tuesday', pause: 'doubling', ms: 250 }),
          call('measure-4', 'replay_traffic', { day: 'Tuesday', pause: 'doubling', ms: 250, jitter: true }),
        ]),
        result('measure-1', '{"succeed":0.981,"double":0.0011,"p99":2.4}'),
        result('measure-2', '{"succeed":0.992,"double":0.0009,"p99":3.1}'),
        result('measure-3', '{"succeed":0.996,"double":0.0008,"p99":3.3}'),
        result('measure-4', '{"succeed":0.998,"double":0.0008,"p99":2.9}'),
        says(analyst, MEASURED),
      ],
      'measured',
    ),
    on('live', 'ask', {
      question:
        'Which pause shall the client take?\n\n- **A** always 500 ms: simplest\n- **B** doubling from 250 ms\n- **C** as B, with some chance in it: best by measure',
    }),
    on('live', 'answer', { text: 'C, and at most three attempts.' }),
  ]
}
