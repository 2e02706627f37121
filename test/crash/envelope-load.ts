import { setImmediate as turn } from 'node:timers/promises'
import type { Session, Throughline } from '../../src/index.ts'

/** Share of writes among the calls. */
const WRITES = 0.2

/** Loops that read and write the envelopes of some sessions until they are stopped, and check each answer. */
export interface EnvelopeLoad {
  /** Calls that begin from now on count for this part. */
  part(name: string): void
  /** How long each call took, in milliseconds, by the part it began in: `PART read` and `PART write`. */
  readonly calls: ReadonlyMap<string, number[]>
  /** Answers older than what anybody had been told before the call began, and errors. */
  readonly problems: readonly string[]
  /** Writes that were acknowledged. */
  readonly written: number
  /** Whether half of the sessions are only read for now: what went wrong with them stays, where a write would put it right. */
  rest(resting: boolean): void
  /** Reads every session through every store. */
  readAll(): Promise<void>
  stop(): Promise<void>
}

interface Talk {
  /** The session as each of the stores sees it. */
  handles: Session[]
  /** Number of the last write that was sent: one at a time, so that a greater number is newer. */
  sent: number
  /** The greatest number that anybody was told of. */
  told: number
  /** The greatest number whose write was acknowledged. */
  acknowledged: number
  isWriting: boolean
  /** Rests when told to. */
  isCalm: boolean
}

/**
 * @param stores the same database and cache, opened several times
 * @param floor what a read must not be older than: what anybody has read or written, or what was acknowledged and what the same store has read
 */
export async function startLoad(
  stores: readonly Throughline[],
  sessions: number,
  loops: number,
  floor: 'anybody' | 'acknowledged' = 'anybody',
): Promise<EnvelopeLoad> {
  const talks = await Promise.all(Array.from({ length: sessions }, (_, n) => begun(stores, n)))
  const calls = new Map<string, number[]>()
  const problems: string[] = []
  const seen = new Map<Session, number>()
  let part = ''
  let stopped = false
  let resting = false
  let written = 0

  async function write(talk: Talk, handle: Session): Promise<void> {
    talk.isWriting = true
    const n = ++talk.sent
    try {
      const got = numberIn(await handle.updateEnvelope({ metadata: { n } }))
      if (got !== n) problems.push(`${part}: wrote ${n}, got ${got}`)
      written++
    } finally {
      talk.isWriting = false
    }
    talk.told = Math.max(talk.told, n)
    talk.acknowledged = Math.max(talk.acknowledged, n)
  }

  async function read(talk: Talk, handle: Session): Promise<void> {
    const { acknowledged } = talk
    const told = floor === 'anybody' ? talk.told : Math.max(acknowledged, seen.get(handle) ?? 0)
    const got = numberIn(await handle.envelope())
    if (got < told) problems.push(`${part}: read ${got} after ${told}, ${acknowledged} acknowledged`)
    talk.told = Math.max(talk.told, got)
    seen.set(handle, Math.max(seen.get(handle) ?? 0, got))
  }

  async function loop(): Promise<void> {
    while (!stopped) {
      const talk = oneOf(talks)
      const mayWrite = !talk.isWriting && !(resting && talk.isCalm)
      const act = mayWrite && Math.random() < WRITES ? write : read
      const began = performance.now()
      const into = `${part} ${act.name}`
      try {
        await act(talk, oneOf(talk.handles))
      } catch (error) {
        problems.push(`${into}: ${error}`)
        await turn()
      }
      const took = performance.now() - began
      const others = calls.get(into)
      if (others === undefined) calls.set(into, [took])
      else others.push(took)
    }
  }

  const done = Promise.all(Array.from({ length: loops }, loop))
  return {
    part(name) {
      part = name
    },
    calls,
    problems,
    get written() {
      return written
    },
    rest(now) {
      resting = now
    },
    async readAll() {
      const all = stores.map(async (_, n) => {
        for (const talk of talks) await read(talk, talk.handles[n] as Session)
      })
      await Promise.all(all)
    },
    async stop() {
      stopped = true
      await done
    },
  }
}

async function begun(stores: readonly Throughline[], n: number): Promise<Talk> {
  const [first, ...others] = stores
  if (first === undefined) throw new Error('no stores')
  const session = await first.sessions.create({ userId: `user ${n}` })
  const seen = await Promise.all(others.map((store) => store.sessions.get(session.id)))
  return { handles: [session, ...seen], sent: 0, told: 0, acknowledged: 0, isWriting: false, isCalm: n % 2 === 0 }
}

const numberIn = ({ metadata }: { metadata: { [key: string]: unknown } }) => Number(metadata['n'] ?? 0)

function oneOf<T>(list: readonly T[]): T {
  return list[Math.floor(Math.random() * list.length)] as T
}
