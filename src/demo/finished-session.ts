import {
  append,
  appendAs,
  type Cast,
  CHATMODE,
  call,
  create,
  type DemoEvent,
  observe,
  on,
  patch,
  relate,
  result,
  type Step,
  says,
  user,
} from './script.ts'
import { TURNS } from './turns.ts'

/**
 * The first session of the conversation, {@link TURNS} one to four: a question, a proposal, a change, a confirmation.
 */
export function finishedSession(cast: Cast): Step[] {
  const [first, second, third, fourth] = TURNS
  const { ask } = first.ends
  return [
    create('finished', cast, {
      agent: cast.lead,
      task: first.says,
      workflow: 'feature',
      gitBranch: 'feat/connect-retry',
      metadata: { service: 'gateway', ticket: 'GW-418' },
    }),
    appendAs('found', 'finished', [user(first.says), ...looksAround(cast.lead)]),
    observe('finished', first.observations),
    on('finished', 'ask', { question: ask }),
    hears(cast, second.says),
    append('finished', [
      says(cast.lead, 'I write it and run the tests.', call('test-1', 'run', { command: 'npm test' })),
      result('test-1', '41 passed'),
    ]),
    observe('finished', [
      ...second.observations,
      relate(
        ['file:src/connect.ts', 'imports', 'file:src/config.ts'],
        ['file:src/connect.ts', 'defines', 'item:connect'],
      ),
    ]),
    on('finished', 'gates', { gate: 1, note: 'All tests pass' }),
    on('finished', 'propose', { summary: second.ends.propose }),
    hears(cast, third.says),
    patch('finished', 'state', { current_task: 'Log retries', files_in_progress: ['src/connect.ts', 'src/log.ts'] }),
    observe('finished', third.observations),
    on('finished', 'propose', { summary: third.ends.propose }),
    hears(cast, fourth.says),
  ]
}

/** A message to the conversation: its intent decides what happens to the session. */
function hears({ userId, conversationId }: Cast, message: string): Step {
  return {
    path: () => `/conversations/${conversationId}/messages`,
    body: () => ({ userId, chatmode: CHATMODE, message }),
  }
}

const FINDINGS = `Three findings:

1. Of 200 failures last week, **187 are timeouts** that a second attempt would have survived.
2. \`connect()\` gives up *after the first error*.
3. \`config.ts\` has no setting for retries yet.

All clients restart together after a deployment, so the delay between attempts matters.`

const looksAround = (agent: string): DemoEvent[] => [
  says(
    agent,
    'I look at the code and at recent failures side by side.',
    call('find-1', 'read_file', { path: 'src/connect.ts' }),
    call('find-2', 'query_logs', { service: 'gateway', level: 'error', since: '7d', limit: 200 }),
  ),
  result('find-1', 'export async function connect(url: string): Promise<Connection> {\n  return await dial(url)\n}\n'),
  result('find-2', '187 of 200: ConnectTimeout after 2000 ms\n13 of 200: TooManyConnections'),
  says(agent, FINDINGS),
]
