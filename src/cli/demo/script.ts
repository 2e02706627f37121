import type { Session } from '../../api.ts'

/** What the user says in a turn, and what the agent does about it. */
export interface Turn {
  about: string
  says: string
  /** Observations of the agent's work, for the log and for the reader. */
  work?: (observe: Session['observe']) => string
  /** How the agent ends the turn. */
  ends?: { ask: string } | { propose: string }
}

const CONNECT = 'export async function connect(url: string, { maxRetries = 5 } = {}) { /* … */ }\n'

/** One conversation: a task with a question, a change of mind and a confirmation, and then another task. */
export const TURNS: readonly Turn[] = [
  {
    about: 'a task begins a session; the agent reads, plans, asks and waits',
    says: 'Add retry logic to the connect function',
    work(observe) {
      observe.fileRead({ path: 'src/connect.ts' })
      observe.fileRead({ path: 'src/config.ts' })
      observe.plan('Wrap connect() in a loop, with a pause that grows after each failure')
      return 'read src/connect.ts and src/config.ts, planned a growing pause'
    },
    ends: {
      ask: [
        'How long should connect() wait before it tries again?',
        '  A) always the same time',
        '  B) twice as long after each failure',
        '  C) as B, with a random part: clients do not return all at once',
      ].join('\n'),
    },
  },
  {
    about: 'minutes or days later: the answer, the work, a proposal',
    says: 'Option C, and make max retries configurable',
    work(observe) {
      observe.note('Decision: the pause doubles and has a random part')
      observe.fileWrite({ path: 'src/connect.ts', content: CONNECT })
      observe.command({ command: 'npm test', exitCode: 0, output: '41 passed' })
      return 'noted a decision, wrote src/connect.ts, ran npm test: passed'
    },
    ends: { propose: 'connect() tries up to maxRetries times, with a growing pause.' },
  },
  {
    about: 'praise with a wish is no confirmation: the work goes on',
    says: 'Looks good but also add logging for retry attempts',
    work(observe) {
      observe.fileWrite({ path: 'src/connect.ts', content: `import { log } from './log.ts'\n\n${CONNECT}` })
      observe.command({ command: 'npm test', exitCode: 0, output: '43 passed' })
      return 'wrote src/connect.ts, ran npm test: passed'
    },
    ends: { propose: 'Retries with a growing pause, each of them logged.' },
  },
  { about: 'the user confirms: the session completes and is compacted', says: 'Perfect, thanks!' },
  { about: 'another task, another session, which knows of the first', says: "Now let's add connection pooling" },
]
