import { type DemoObservation, note, plan, ran, read, wrote } from './script.ts'

/** What the user says in a turn, and how the agent responds. */
export interface Turn {
  /** What the turn shows, as a heading. */
  readonly about: string
  readonly says: string
  readonly observations?: readonly DemoObservation[]
  /** The observations in a few words. */
  readonly work?: string
  /** How the agent ends the turn. */
  readonly ends?: { readonly ask: string } | { readonly propose: string }
}

const CONNECT = 'export async function connect(url: string, { maxRetries = 5 } = {}) { /* … */ }\n'

/** One conversation: a task with a question, a change of mind and a confirmation, then another task. */
export const TURNS = [
  {
    about: 'a task starts a session; the agent reads, plans and asks',
    says: 'Add retry logic to the connect function',
    observations: [
      read('src/connect.ts'),
      read('src/config.ts'),
      plan('Wrap connect() in a loop that waits longer after each failure'),
    ],
    work: 'read src/connect.ts and src/config.ts, planned a growing delay',
    ends: {
      ask: [
        'How long should connect() wait before it tries again?',
        '  A) always the same time',
        '  B) twice as long after each failure',
        '  C) like B, plus a random part, so that clients spread out',
      ].join('\n'),
    },
  },
  {
    about: 'minutes or days later: the answer, the work, a proposal',
    says: 'Option C, and make max retries configurable',
    observations: [
      note('Decision: the delay doubles and has a random part'),
      wrote('src/connect.ts', CONNECT),
      ran('npm test', 0, '41 passed'),
    ],
    work: 'noted a decision, wrote src/connect.ts, ran npm test: passed',
    ends: { propose: 'connect() tries up to maxRetries times, with a growing delay.' },
  },
  {
    about: 'praise with a request is not a confirmation: work goes on',
    says: 'Looks good but also add logging for retry attempts',
    observations: [
      wrote('src/connect.ts', `import { log } from './log.ts'\n\n${CONNECT}`),
      ran('npm test', 0, '43 passed'),
    ],
    work: 'wrote src/connect.ts, ran npm test: passed',
    ends: { propose: 'connect() retries with a growing delay and logs each attempt.' },
  },
  { about: 'the user confirms: the session completes and is compacted', says: 'Perfect, thanks!' },
  { about: 'another task: a new session that knows about the first', says: "Now let's add connection pooling" },
] as const satisfies readonly Turn[]
