import type { Session, Throughline } from '../dist/index.js'
import { message, messages, runReads, runWriters, type Timings, WORK, type Workload } from './load.ts'
import { makeSentence, seededRandom } from './synthetic-text.ts'
import { PROCESSES } from './writer-processes.ts'

/** One line of the comparison: prepares its data once and returns a round. */
export interface BuildLine {
  title: string
  /** Processes that run it at the same time. @default 1 */
  processes?: number
  prepare(tl: Throughline): Promise<() => Promise<Timings>>
}

/** Events of the log that windows are read from. */
const LOG = 20_000
const CALLS = 500

async function sessions(tl: Throughline, count: number, userOf: (i: number) => string): Promise<Session[]> {
  const found: Session[] = []
  for (let i = 0; i < count; i++) found.push(await tl.sessions.create({ userId: userOf(i) }))
  return found
}

function appends({ title, ...work }: Workload, userOf = (_: number) => 'bench'): BuildLine {
  return {
    title,
    async prepare(tl) {
      const own = await sessions(tl, work.sessions, userOf)
      return () => runWriters(work, (writer, i) => (own[writer % own.length] as Session).append(message(i)), 1000)
    },
  }
}

function calls(title: string, make: (tl: Throughline, session: Session) => () => Promise<unknown>): BuildLine {
  return {
    title,
    async prepare(tl) {
      const [session] = (await sessions(tl, 1, () => 'bench')) as [Session]
      const call = make(tl, session)
      return () => runReads(CALLS, call, 1000)
    },
  }
}

export const BUILD_LINES = {
  W1: appends(WORK.W1),
  W2: appends(WORK.W2),
  'W2-users': appends({ ...WORK.W2, title: 'W2 of 32 users' }, (i) => `user-${i}`),
  W3: appends(WORK.W3),
  W4: {
    title: WORK.W4.title,
    processes: PROCESSES,
    async prepare(tl) {
      const session = await tl.sessions.getOrCreate({ userId: 'bench', conversationId: 'shared' })
      return () => runWriters(WORK.W4, (_, i) => session.append(message(i)), 1000)
    },
  },
  R1: {
    title: 'R1 the last 30 turns',
    async prepare(tl) {
      const [session] = (await sessions(tl, 1, () => 'bench')) as [Session]
      for (const some of messages(LOG)) await session.append(some)
      return () => runReads(CALLS, () => session.recent(), 1000)
    },
  },
  busy: {
    title: 'the last 60 turns while the index reads 45,000 messages',
    async prepare(tl) {
      const [session] = (await sessions(tl, 1, () => 'bench')) as [Session]
      const next = seededRandom(1)
      for (let i = 0; i < 45_000; i += 500) {
        const some = Array.from({ length: 500 }, () => makeSentence(next))
        await session.append(some.map((content) => ({ type: 'user_message' as const, content })))
      }
      return () => runReads(4 * CALLS, () => session.recent({ maxTurns: 60 }), 1000)
    },
  },
  R2: calls('R2 record and state', (_, session) => async () => {
    await session.record()
    await session.state()
  }),
  C1: calls('C1 create a session', (tl) => () => tl.sessions.create({ userId: 'bench' })),
  U1: calls('U1 change one key of the state', (_, session) => {
    let value = 0
    return () => session.updateState({ counter: value++ })
  }),
  recall: {
    title: 'recall among 20,000 messages',
    async prepare(tl) {
      const words = [
        'train',
        'vienna',
        'budget',
        'hotel',
        'museum',
        'ticket',
        'deadline',
        'invoice',
        'garden',
        'violin',
      ]
      const text = (i: number) => Array.from({ length: 12 }, (_, n) => `${words[(i * 7 + n * n) % 10]}${(i + n) % 40}`)
      const [session] = (await sessions(tl, 1, () => 'reader')) as [Session]
      for (let i = 0; i < LOG; i += 500) {
        const some = Array.from({ length: 500 }, (_, n) => text(i + n).join(' '))
        await session.append(some.map((content) => ({ type: 'user_message' as const, content })))
      }
      let asked = 0
      const ask = () => tl.recall({ userId: 'reader', query: text(asked++).slice(0, 3).join(' '), limit: 10 })
      while (((await ask()).pending ?? 0) > 0);
      return () => runReads(CALLS, ask, 1000)
    },
  },
} as const satisfies Record<string, BuildLine>

export type LineName = keyof typeof BUILD_LINES
