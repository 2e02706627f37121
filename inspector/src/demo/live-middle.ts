import {
  append,
  type Cast,
  call,
  calls,
  eventsOf,
  handOver,
  on,
  patch,
  remember,
  result,
  type Step,
  says,
  user,
} from './script.ts'

const CODE = `The client now tries up to three times under **one** key:

\`\`\`ts
export async function charge(order: Order, { retries = 3 } = {}): Promise<Receipt> {
  const headers = { 'Idempotency-Key': \`order-\${order.id}\` }
  for (let attempt = 1; ; attempt++) {
    try {
      return await post('/charges', order, { headers, timeout: 8000 })
    } catch (error) {
      if (attempt === retries || !isTimeout(error)) throw error
      await pause(250 * 2 ** attempt * Math.random())
    }
  }
}
\`\`\`

\`submit.ts\` calls it once and trusts it.`

/** The code, a failing test, an interruption, and a proposal that is not enough. */
export function liveMiddle(cast: Cast): Step[] {
  const { lead, planner, analyst } = cast
  return [
    ...handOver('live', analyst, planner, 'It is clear what to build: three attempts, doubling, with chance', {
      artifacts_created: ['reports/replay-tuesday.json'],
      key_decisions: ['Doubling from 250 ms, with chance', 'Three attempts at most'],
    }),
    patch('live', 'state', {
      current_task: 'Write the retry',
      files_in_progress: ['src/payment/client.ts', 'src/checkout/submit.ts'],
      pause: { kind: 'doubling', from: 250, jitter: true },
    }),
    append(
      'live',
      [
        user('Go ahead and write it.'),
        calls(planner, call('write-1', 'write_file', { path: 'src/payment/client.ts' })),
        result('write-1', 'written, 641 bytes'),
        calls(planner, call('write-2', 'write_file', { path: 'src/checkout/submit.ts' })),
        result('write-2', 'written, 188 bytes'),
        says(planner, CODE),
        calls(planner, call('test-1', 'run', { command: 'npm test -- payment' })),
        result(
          'test-1',
          'FAIL payment/client.test.ts\n  ✗ gives up after three attempts\n    expected 3 calls, got 4\n11 passed, 1 failed',
          true,
        ),
      ],
      'written',
    ),
    on('live', 'steps', (told) => ({
      observations: [
        { kind: 'note', text: 'Decision: the pause doubles from 250 ms and has some chance in it' },
        { kind: 'fileWrite', path: 'src/payment/client.ts', content: CODE },
        { kind: 'fileWrite', path: 'src/checkout/submit.ts', content: 'return await charge(order)\n' },
        {
          kind: 'command',
          command: 'npm test -- payment',
          exitCode: 1,
          output: 'expected 3 calls, got 4\n11 passed, 1 failed',
        },
        {
          kind: 'relations',
          edges: [
            {
              from: 'item:charge',
              label: 'dependsOn',
              to: 'item:pause',
              evidence: { event: told.sequence('written') + 5 },
            },
            {
              from: 'file:src/payment/client.ts',
              label: 'imports',
              to: 'file:src/payment/pause.ts',
              evidence: { tool: 'tsc' },
            },
            {
              from: 'diagnostic:npm test -- payment',
              label: 'references',
              to: 'item:charge',
              evidence: { event: told.sequence('written') + 7, confidence: 0.8 },
            },
          ],
        },
      ],
    })),
    on('live', 'state/increment', { key: 'attempts' }),
    on('live', 'state/add', { key: 'blockers', value: 'One test counts four calls' }),
    on('live', 'interrupt', {
      text: 'Stop a moment: the provider wants the key in `X-Request-Key` since version 3 of its API.',
    }),
    append(
      'live',
      [
        says(
          planner,
          'Good that you say it now. I change the name of the header, and the loop is one too long as well.',
          [
            call('write-3', 'edit_file', {
              path: 'src/payment/client.ts',
              replace: 'Idempotency-Key',
              by: 'X-Request-Key',
            }),
            call('write-4', 'edit_file', { path: 'src/payment/client.test.ts', replace: 'toBe(4)', by: 'toBe(3)' }),
          ],
        ),
        result('write-3', '1 replacement'),
        result('write-4', 'nothing to replace', true),
      ],
      'header',
    ),
    on('live', 'incorporate', {
      note: 'The key goes in X-Request-Key',
      observations: [
        { kind: 'note', text: 'Decision: the key goes in the header X-Request-Key, as version 3 of the API wants it' },
      ],
    }),
    remember(cast, 'memory-header', (told) => ({
      content: 'The payment provider takes the idempotency key in the header X-Request-Key, since version 3 of its API',
      confidence: 0.9,
      // what the user said when they stopped the agent, right before the answer to it
      source: eventsOf(told, 'live', 'header', -3),
    })),
    append('live', [
      user('And the test?'),
      calls(planner, call('test-2', 'run', { command: 'npm test -- payment' })),
      result('test-2', '12 passed'),
      says(
        planner,
        'It was right, and the loop was wrong: `attempt === retries` came after the pause. **12 of 12 pass** now.',
      ),
    ]),
    on('live', 'steps', {
      observations: [
        { kind: 'fileWrite', path: 'src/payment/client.ts', content: CODE.replace('Idempotency-Key', 'X-Request-Key') },
        { kind: 'fileWrite', path: 'src/payment/client.test.ts', content: 'it("gives up after three attempts", …)\n' },
        { kind: 'command', command: 'npm test -- payment', exitCode: 0, output: '12 passed' },
        { kind: 'command', command: 'npm run lint', exitCode: 0 },
      ],
    }),
    patch('live', 'state', { blockers: [], current_task: 'Show that nobody is charged twice' }),
    on('live', 'gates', { gate: 2, note: 'All tests of the payment client pass' }),
    patch('live', 'envelope', { analysis: { sentiment: 'relieved', tags: ['payments', 'reliability', 'retry'] } }),
    on('live', 'propose', {
      summary: 'A checkout that times out tries up to three times under one key. 12 tests pass.',
    }),
    on('live', 'continue', {
      request: 'Before I say yes: count the retries in a metric, and say in the runbook what to look at.',
    }),
    ...handOver('live', planner, lead, 'What is left touches operations: the lead knows the runbook', {
      artifacts_created: ['src/payment/client.ts', 'src/payment/client.test.ts'],
      key_decisions: ['X-Request-Key', 'Three attempts'],
      open: ['a metric', 'the runbook'],
    }),
  ]
}
