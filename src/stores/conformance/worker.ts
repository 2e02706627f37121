import type { Usage } from '../../domain/usage.ts'
import { open } from '../../open/open.ts'
import type { OpenOptions } from '../../open/options.ts'

/** The jobs of child processes in race and crash tests. Each prints one line of JSON per result. */
export type Job =
  /** Appends one by one; with `times`, sends each that often with one key. Prints the sequences. */
  | { do: 'append'; sessionId: string; count: number; label: string; times?: number; usage?: Usage }
  /** Appends batches forever with `writers` concurrent writers; prints each acknowledged label and its sequences. */
  | { do: 'append-forever'; sessionId: string; writers: number; batch: number; label: string }
  /** Calls `getOrCreate` `count` times concurrently; prints the ids. */
  | { do: 'get-or-create'; userId: string; count: number }
  /** Tails until the sequence arrives; prints every sequence. */
  | { do: 'tail'; sessionId: string; after: number; until: number; slow?: boolean }
  /** Patches `count` different keys of the scratchpad concurrently; prints the keys. */
  | { do: 'patch'; sessionId: string; count: number; label: string }
  /** Takes the handoff `count` times concurrently; prints the results. */
  | { do: 'take'; sessionId: string; count: number }
  /** Records `count` concurrent transitions to the registered agents in turn; prints each sequence. */
  | { do: 'transition'; sessionId: string; count: number; label: string }
  /** Forks each session; prints the ids of the copies. */
  | { do: 'fork'; sessionIds: string[] }
  /** Purges each session; prints the receipts. */
  | { do: 'purge'; sessionIds: string[] }
  /** Indexes all logs; prints the report. */
  | { do: 'index' }
  /** Reads the graph `count` times; prints the number of its edges. */
  | { do: 'graph'; sessionId: string; count: number }
  /** Opens and closes; prints the schema version. */
  | { do: 'open' }

const { target, job } = JSON.parse(process.argv[2] ?? '') as { target: string | OpenOptions; job: Job }
const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)
const tl = await open(target)

switch (job.do) {
  case 'append': {
    const session = await tl.sessions.get(job.sessionId)
    for (let i = 0; i < job.count; i++) {
      const content = `${job.label} ${i}`
      const options = job.times === undefined ? {} : { idempotencyKey: content }
      const sends = Array.from({ length: job.times ?? 1 }, () =>
        session.append(
          job.usage === undefined
            ? { type: 'user_message', content }
            : { type: 'model_message', content, usage: job.usage },
          options,
        ),
      )
      const sequences = (await Promise.all(sends)).map(([event]) => event?.sequence)
      print(sequences)
    }
    break
  }
  case 'append-forever': {
    const session = await tl.sessions.get(job.sessionId)
    const write = async (writer: number): Promise<never> => {
      for (let i = 0; ; i++) {
        const label = `${job.label} ${writer} ${i}`
        const events = Array.from({ length: job.batch }, () => ({ type: 'x.load', content: label }) as const)
        const written = await session.append(events, { idempotencyKey: label })
        print({ label, sequences: written.map((event) => event.sequence) })
      }
    }
    await Promise.all(Array.from({ length: job.writers }, (_, writer) => write(writer)))
    break
  }
  case 'get-or-create': {
    const all = Array.from({ length: job.count }, () => tl.sessions.getOrCreate({ userId: job.userId }))
    for (const session of await Promise.all(all)) print(session.id)
    break
  }
  case 'tail': {
    const session = await tl.sessions.get(job.sessionId)
    for await (const event of session.tail({ after: job.after })) {
      print(event.sequence)
      if (event.sequence === job.until) break
      if (job.slow === true) await new Promise((resolve) => setTimeout(resolve, 2))
    }
    break
  }
  case 'patch': {
    const session = await tl.sessions.get(job.sessionId)
    const keys = Array.from({ length: job.count }, (_, i) => `${job.label}-${i}`)
    await Promise.all(keys.map((key, i) => session.updateState({ [key]: i })))
    for (const key of keys) print(key)
    break
  }
  case 'take': {
    const session = await tl.sessions.get(job.sessionId)
    const takers = Array.from({ length: job.count }, () => session.takeHandoff())
    for (const taken of await Promise.all(takers)) print(taken ?? null)
    break
  }
  case 'transition': {
    const session = await tl.sessions.get(job.sessionId)
    const all = Array.from({ length: job.count }, (_, i) =>
      session.recordTransition({ to: `agent-${i % 5}`, reason: `${job.label} ${i}` }),
    )
    for (const { sequence } of await Promise.all(all)) print(sequence)
    break
  }
  case 'fork': {
    for (const id of job.sessionIds) print((await (await tl.sessions.get(id)).fork()).id)
    break
  }
  case 'purge': {
    for (const id of job.sessionIds) print(await tl.sessions.purge(id))
    break
  }
  case 'index': {
    print(await tl.index())
    break
  }
  case 'graph': {
    const session = await tl.sessions.get(job.sessionId)
    for (let i = 0; i < job.count; i++) print((await session.graph({ limit: 500 })).edges.length)
    break
  }
  case 'open':
    print((await tl.health()).schema ?? null)
    break
}
await tl.close()
