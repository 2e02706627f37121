import { setImmediate as turn } from 'node:timers/promises'
import type { Session, Throughline } from '../../src/index.ts'

/** Share of writes among the calls. */
const WRITES = 0.2

/** Loops that read and write envelopes until they are stopped, and check each response. */
export interface EnvelopeLoad {
  /** Counts the calls that start from now on under this phase. */
  part(name: string): void
  /** Durations in milliseconds by the phase in which the call started: `PHASE read` and `PHASE write`. */
  readonly calls: ReadonlyMap<string, number[]>
  /** Stale reads, older than a value returned before the call started, and errors. */
  readonly problems: readonly string[]
  /** Writes that were acknowledged. */
  readonly written: number
  /** Whether half of the sessions are only read for now: a write would repair a stale entry. */
  rest(resting: boolean): void
  /** Reads every session through every store. */
  readAll(): Promise<void>
  stop(): Promise<void>
}

interface Talk {
  /** The session as each of the stores sees it. */
  handles: Session[]
  /** Number of the last write sent; writes go one at a time, so a greater number is newer. */
  sent: number
  /** The greatest number that any read returned. */
  told: number
  /** The greatest number whose write was acknowledged. */
  acknowledged: number
  isWriting: boolean
  /** Pauses the loops. */
  isCalm: boolean
}

/**
 * @param stores the same database and cache, opened several times
 * @param floor the oldest value a read may return: the newest value that any store returned, or that was acknowledged
 * or read by the same store
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
