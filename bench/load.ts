/** What every competitor of a part does, whichever store it writes to. */

/** 500 bytes, as a short message has. */
const CONTENT = 'A message of ordinary length that says something. '.repeat(10)

export const WORK = {
  W1: { title: 'W1 one writer', writers: 1, sessions: 1, each: 1000 },
  W2: { title: 'W2 32 writers, 32 sessions', writers: 32, sessions: 32, each: 200 },
  W3: { title: 'W3 32 writers, one session', writers: 32, sessions: 1, each: 200 },
} as const

export type Work = (typeof WORK)[keyof typeof WORK]

export type Message = ReturnType<typeof message>

/** Questions and answers in turn. */
export function message(i: number) {
  return i % 2 === 0
    ? ({ type: 'user_message', role: 'user', content: CONTENT } as const)
    : ({ type: 'model_message', role: 'assistant', content: CONTENT } as const)
}

/** The messages of a log, in as many at a time as one append takes. */
export function* messages(length: number): Generator<Message[]> {
  const most = 500
  for (let written = 0; written < length; written += most) {
    yield Array.from({ length: Math.min(most, length - written) }, (_, i) => message(i))
  }
}

/** Starts the writers and times each append. */
export async function writing(work: Work, append: (writer: number, i: number) => unknown) {
  const latencies: number[] = []
  await Promise.all(
    Array.from({ length: work.writers }, async (_, writer) => {
      for (let i = 0; i < work.each; i++) latencies.push(await timed(() => append(writer, i)))
    }),
  )
  return { operations: latencies.length, latencies }
}

/** Reads again and again and times each. */
export async function reading(reads: number, read: () => unknown) {
  const latencies: number[] = []
  for (let i = 0; i < reads; i++) latencies.push(await timed(read))
  return { operations: reads, latencies }
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
