import type { Session } from '../../src/index.ts'

/** Events of one append. */
export const BATCH = 3

/** How long a writer retries an append, in milliseconds. */
const PATIENCE = 60_000

/** The outcomes of the writers' appends. */
export interface WriteResults {
  /** Sequences of each acknowledged append, by its label. */
  acknowledged: Map<string, number[]>
  /** Labels of failed appends without a key, which may be stored or not. */
  unknown: Set<string>
  /** Number of calls that failed with STORAGE; any other error ends the writers. */
  failures: number
}

/**
 * Writers that append batches until they are stopped. They retry appends with a key, and try those without one once.
 */
export function startWriters(session: Session, { keyed, keyless }: { keyed: number; keyless: number }) {
  const told: WriteResults = { acknowledged: new Map(), unknown: new Set(), failures: 0 }
  let stopped = false

  async function write(label: string, again: boolean): Promise<void> {
    const events = Array.from({ length: BATCH }, () => ({ type: 'x.load', content: label }) as const)
    const deadline = performance.now() + PATIENCE
    for (;;) {
      try {
        const written = await session.append(events, again ? { idempotencyKey: label } : {})
        told.acknowledged.set(
          label,
          written.map(({ sequence }) => sequence),
        )
        return
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'STORAGE') throw error
        told.failures++
        if (!again) return void told.unknown.add(label)
        if (performance.now() > deadline) throw error
      }
    }
  }

  async function writer(name: string, again: boolean): Promise<void> {
    for (let i = 0; !stopped; i++) await write(`${name} ${i}`, again)
  }

  const done = Promise.all([
    ...Array.from({ length: keyed }, (_, n) => writer(`keyed ${n}`, true)),
    ...Array.from({ length: keyless }, (_, n) => writer(`keyless ${n}`, false)),
  ])
  done.catch(() => {})
  return {
    told,
    /** Resolves after this many more acknowledged appends. */
    async acknowledged(more: number): Promise<void> {
      const goal = told.acknowledged.size + more
      const failed = done.then(() => Promise.reject(new Error('the writers have stopped')))
      failed.catch(() => {})
      while (told.acknowledged.size < goal)
        await Promise.race([failed, new Promise((resolve) => setTimeout(resolve, 5))])
    },
    /** Lets every writer finish its current append. */
    async stop(): Promise<WriteResults> {
      stopped = true
      await done
      return told
    },
  }
}

/** Stored sequences of a session, by label. */
export async function sequencesIn(session: Session): Promise<Map<string, number[]>> {
  const kept = new Map<string, number[]>()
  for (let after = 1; ; ) {
    const page = await session.events({ after, limit: 500 })
    for (const { content, sequence } of page) kept.set(content, [...(kept.get(content) ?? []), sequence])
    after = page.at(-1)?.sequence ?? 0
    if (after === 0) return kept
  }
}
