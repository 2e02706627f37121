/** The work of every competitor of a part, whatever its store. */

/** 500 bytes, like a short message. */
const CONTENT = 'A message of ordinary length that says something. '.repeat(10)

/** Writers, sessions, and appends of each writer in a round, unless its time is up. */
export interface Workload {
  readonly title: string
  readonly writers: number
  readonly sessions: number
  readonly each: number
}

export const WORK = {
  W1: { title: 'W1 one writer', writers: 1, sessions: 1, each: 1000 },
  W2: { title: 'W2 32 writers, 32 sessions', writers: 32, sessions: 32, each: 200 },
  W3: { title: 'W3 32 writers, one session', writers: 32, sessions: 1, each: 200 },
  W4: { title: 'W4 8 processes with 4 writers each, one session', writers: 4, sessions: 1, each: 1000 },
} as const satisfies Record<string, Workload>

/**
 * Longest round in milliseconds: slow stores are measured by their work until then. Rounds are short and many,
 * because a shared machine has slow seconds.
 */
export const ROUND_MS = 400

export type Message = ReturnType<typeof message>

/** Questions and answers in turn, all of the same length whatever their mark. */
export function message(i: number, mark = '') {
  const content = mark === '' ? CONTENT : mark + CONTENT.slice(mark.length)
  return i % 2 === 0
    ? ({ type: 'user_message', role: 'user', content } as const)
    : ({ type: 'model_message', role: 'assistant', content } as const)
}

/** The messages of a log, in batches of the size that one append accepts. */
export function* messages(length: number): Generator<Message[]> {
  const most = 500
  for (let written = 0; written < length; written += most) {
    yield Array.from({ length: Math.min(most, length - written) }, (_, i) => message(i))
  }
}

/** The work of a round: count, seconds, and milliseconds of each call. */
export interface Timings {
  operations: number
  seconds: number
  latencies: number[]
}

/** Starts the writers and times each call, until all are done or the time is up. */
export async function runWriters(
  { writers, each }: Pick<Workload, 'writers' | 'each'>,
  append: (writer: number, i: number) => unknown,
  ms = ROUND_MS,
): Promise<Timings> {
  const latencies: number[] = []
  const start = performance.now()
  const ended = await Promise.allSettled(
    Array.from({ length: writers }, async (_, writer) => {
      for (let i = 0; i < each; i++) {
        const begun = performance.now()
        if (begun - start > ms) return
        await append(writer, i)
        latencies.push(performance.now() - begun)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  return { operations: latencies.length, seconds, latencies }
}

/** Repeats a call and times each one. */
export function runReads(reads: number, read: () => unknown, ms = ROUND_MS): Promise<Timings> {
  return runWriters({ writers: 1, each: reads }, read, ms)
}
