import type { Run, Session, StepContext } from '../../api.ts'
import { RunLostError, ThroughlineError } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import { parse } from '../kernel/parse.ts'
import { finishInput, stepKey } from './schema.ts'
import { RunStopped, type Stop } from './stop.ts'

/** What a run was given when it began. */
export interface RunGrant {
  readonly sessionId: string
  readonly runId: string
  readonly generation: number
  readonly ttlMs: number
}

/** The calls of a run on its store or server. */
export interface RunCalls {
  /** Extends the lease. Returns why the run has to stop, if it has to. */
  renew(): Promise<Stop | undefined>
  finish(outcome: 'completed' | 'failed', note: string | undefined): Promise<void>
  findStep(key: string): Promise<{ result?: Json } | undefined>
  /** Records the result unless the key has one, and returns the recorded one. */
  recordStep(key: string, result: unknown): Promise<{ result?: Json }>
  /** Calls back when the run has to stop. Returns a function that ends this. */
  watch(onStop: (stop: Stop) => void): () => void
}

/** Renewals before a lease expires: two may fail. */
const RENEWALS = 3

/** The handle of a run that has begun: keeps its lease, and fires its signal when the work has to stop. */
export function holdRun(session: Session, { runId, generation, ttlMs, sessionId }: RunGrant, calls: RunCalls): Run {
  const stopping = new AbortController()
  const running = new Map<string, Promise<unknown>>()
  let isOver = false
  let isEndTried = false
  let isWatched = true

  const stop = (why: Stop) => {
    if (!isOver && !stopping.signal.aborted) stopping.abort(new RunStopped(why))
  }
  const unwatch = calls.watch(stop)
  const end = () => {
    isWatched = false
    clearInterval(renewals)
    clearTimeout(expiry)
    unwatch()
  }
  const lose = () => {
    stop({ reason: 'lost' })
    end()
  }
  // counted by this process, from before the call: the lease may last longer in the store, never shorter
  let expiry: ReturnType<typeof setTimeout>
  const keep = (from: number) => {
    clearTimeout(expiry)
    expiry = setTimeout(lose, from + ttlMs - performance.now())
    expiry.unref?.()
  }
  const renew = async () => {
    const at = performance.now()
    try {
      const why = await calls.renew()
      if (!isWatched) return
      // one that was asked to stop still has to end in peace
      if (why === undefined || why.reason === 'cancelled' || why.reason === 'interrupted') keep(at)
      else end()
      if (why !== undefined) stop(why)
    } catch (error) {
      // after any other error the store may be back before the lease expires
      if (isPurged(error)) {
        stop({ reason: 'purged' })
        end()
      }
    }
  }
  const renewals = setInterval(() => void renew(), ttlMs / (RENEWALS + 1))
  renewals.unref?.()
  keep(performance.now())
  const close = async (outcome: 'completed' | 'failed', note?: string) => {
    if (isOver) throw new RunLostError({ sessionId, generation })
    isOver = true
    isEndTried = true
    end()
    try {
      await calls.finish(outcome, note)
    } catch (error) {
      // may be tried again until the lease expires
      isOver = false
      throw error
    }
  }

  async function step<T>(key: string, work: (context: StepContext) => T | Promise<T>): Promise<T> {
    const known = await calls.findStep(key)
    if (known !== undefined) return known.result as T
    stopping.signal.throwIfAborted()
    const result = await work({ signal: stopping.signal })
    return (await calls.recordStep(key, result)).result as T
  }

  return {
    ...session,
    runId,
    generation,
    signal: stopping.signal,
    // two calls for one key at once are one step
    step: (async (key: string, work: (context: StepContext) => unknown) => {
      const known = running.get(parse(stepKey, key, 'key'))
      if (known !== undefined) return await known
      const started = step(key, work).finally(() => running.delete(key))
      running.set(key, started)
      return await started
    }) as Run['step'],
    finish: async (options = {}) => await close('completed', parse(finishInput, options).note),
    fail: async (error) => await close('failed', messageOf(error)),
    async [Symbol.asyncDispose]() {
      if (isEndTried) return
      try {
        await close('failed', 'the run was left without finish() or fail()')
      } catch (error) {
        // another run has begun: there is nothing to end
        if (!(error instanceof ThroughlineError && error.code === 'RUN_LOST')) throw error
      }
    },
  }
}

/** Whether the session of a run is gone. */
export function isPurged(error: unknown): boolean {
  return error instanceof ThroughlineError && error.code === 'SESSION_NOT_FOUND'
}

/** Characters of an error's text that are kept. */
const LONGEST_NOTE = 4096

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error))
    .slice(0, LONGEST_NOTE)
    .toWellFormed()
    .replaceAll('\0', '')
}
