import type { Run, Session, Throughline } from '../api.ts'
import { RunLostError, TooLargeError } from '../domain/errors.ts'
import type { Json } from '../domain/json.ts'

/** A run by the number that `claim_session` returned. */
export interface NumberedRun {
  /** The session, whose writes are refused once the run is over. */
  session(): Promise<Session>
  findStep(key: string): Promise<{ result?: Json } | undefined>
  /** Records the result unless the key has one, and returns the recorded one. */
  recordStep(key: string, result: Json | undefined): Promise<{ result?: Json }>
  finish(outcome: 'completed' | 'failed', note: string | undefined): Promise<void>
}

/** Finds a run of the client, which another server of a fleet may hold. */
export type FindRun = (sessionId: string, generation: number) => NumberedRun

/** Milliseconds without any call of a client after which its runs end. */
export const IDLE_MS = 3_600_000
/** Runs that a client holds at once. */
const MOST_RUNS = 20

/** The runs that this process holds for one client: as long as it holds them, their leases are renewed. */
export class ClaimedRuns {
  readonly #runs = new Map<string, Run>()
  /** Runs that ended because the client made no call. */
  readonly #given = new Set<Run>()
  readonly #idleMs: number
  readonly #onChange: (isEmpty: boolean) => void
  #timer: NodeJS.Timeout | undefined

  /** @param onChange called when it holds a run, and when it holds none any more */
  constructor(onChange: (isEmpty: boolean) => void = () => {}, idleMs = IDLE_MS) {
    this.#onChange = onChange
    this.#idleMs = idleMs
  }

  /** Throws if there is no room for another run. */
  requireRoom(): void {
    const actual = this.#runs.size + 1
    if (actual > MOST_RUNS) throw new TooLargeError({ field: 'runs', limit: MOST_RUNS, actual })
  }

  hold(run: Run): void {
    this.drop(run.id)
    this.#runs.set(run.id, run)
    this.#onChange(false)
    run.signal.addEventListener('abort', () => {
      // nobody can write to such a session
      if (GONE.has(run.signal.reason?.reason) && this.#runs.get(run.id) === run) this.drop(run.id)
    })
    this.touch()
  }

  /** The client made a call. */
  touch(): void {
    clearTimeout(this.#timer)
    if (this.#runs.size === 0) return
    this.#timer = setTimeout(() => void this.#expire(), this.#idleMs)
    this.#timer.unref()
  }

  /** The run that this process holds on a session. */
  held(sessionId: string): Run | undefined {
    return this.#runs.get(sessionId)
  }

  /** The run that the client's writes to a session belong to. */
  async current(sessionId: string): Promise<Run | undefined> {
    const run = this.#runs.get(sessionId)
    if (run === undefined || this.#given.has(run)) return run
    const { run: live } = await run.record()
    if (live?.generation === run.generation) return run
    const { outcome = 'lost' } = (await run.runs()).find(({ generation }) => generation === run.generation) ?? {}
    if (outcome === 'lost') return run
    // another server of a fleet ended it for this client
    this.drop(sessionId)
    return undefined
  }

  drop(sessionId: string): void {
    const run = this.#runs.get(sessionId)
    if (run === undefined) return
    this.#runs.delete(sessionId)
    this.#given.delete(run)
    if (this.#runs.size > 0) return
    clearTimeout(this.#timer)
    this.#onChange(true)
  }

  /** Ends every run as failed: the client is gone. */
  async close(note: string): Promise<void> {
    const runs = [...this.#runs.values()]
    for (const { id } of runs) this.drop(id)
    await Promise.all(runs.map((run) => giveUp(run, note)))
  }

  /** Ends the runs of a client that made no call, and refuses its late writes for as long again. */
  async #expire(): Promise<void> {
    const left = [...this.#runs.values()].filter((run) => !this.#given.has(run))
    for (const run of this.#given) this.drop(run.id)
    for (const run of left) this.#given.add(run)
    this.touch()
    await Promise.all(left.map((run) => giveUp(run, 'The client made no call for too long')))
  }
}

/** Reasons to stop after which nobody can write to the session. */
const GONE: ReadonlySet<unknown> = new Set(['ended', 'aborted', 'purged'])

/** Ends a run as failed, so that its session is tried again. */
export async function giveUp(run: Run, note: string): Promise<void> {
  // if it cannot, the lease expires
  await run.fail(note).catch(() => {})
}

/** Finds only runs that this process holds. */
export function findHeld(runs: ClaimedRuns): FindRun {
  return (sessionId, generation) => {
    const held = runs.held(sessionId)
    if (held?.generation !== generation) throw new RunLostError({ sessionId, generation })
    return {
      session: async () => held,
      findStep: async (key) => {
        const missing = new Error('not recorded')
        try {
          const result = await held.step<Json>(key, () => Promise.reject(missing))
          return { result }
        } catch (error) {
          if (error === missing) return undefined
          throw error
        }
      },
      recordStep: async (key, given) => {
        const result = await held.step<Json | undefined>(key, () => given)
        return result === undefined ? {} : { result }
      },
      finish: async (outcome, note) => {
        if (outcome === 'failed') await held.fail(note ?? 'failed')
        else await held.finish(note === undefined ? {} : { note })
      },
    }
  }
}

/** The same store, with sessions whose writes belong to the client's runs. */
export function withRuns(tl: Throughline, runs: ClaimedRuns, find: FindRun): Throughline {
  const get = async (id: string) => {
    const run = await runs.current(id)
    return run === undefined ? await tl.sessions.get(id) : await find(id, run.generation).session()
  }
  return { ...tl, sessions: { ...tl.sessions, get } }
}
