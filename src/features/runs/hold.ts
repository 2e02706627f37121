import type { ClaimOptions, Run, RunOptions, Session } from '../../api.ts'
import { RunActiveError } from '../../domain/errors.ts'
import type { Deps } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { type Claim, claimRun } from './claim.ts'
import { depsOfRun } from './fenced-store.ts'
import { holdRun, type RunCalls, type RunGrant } from './hold-run.ts'
import { beginRun, cancelRun, findStep, finishRun, recordStep, renewRun, runStop } from './operation.ts'
import { claimInput, runInput } from './schema.ts'
import type { Stop } from './stop.ts'
import { pause } from './wait.ts'

/** Makes the handle of a session. */
export type SessionOn = (deps: Deps, id: string) => Session

/** Begins a run and returns its handle. */
export async function runSession(deps: Deps, id: string, options: RunOptions = {}, sessionOn: SessionOn): Promise<Run> {
  return held(deps, await beginOrWait(deps, id, options), sessionOn)
}

/** Begins a run, after waiting for the end of another one if the caller wants to. Throws the reason of the signal. */
export async function beginOrWait(
  deps: Deps,
  id: string,
  options: RunOptions = {},
  signal: AbortSignal = deps.closed,
): Promise<RunGrant> {
  const { onBusy, waitMs, ...how } = parse(runInput, options)
  const stop = AbortSignal.any([signal, deps.closed])
  const deadline = performance.now() + waitMs
  for (let isAsked = false; ; ) {
    try {
      return await beginRun(deps, id, how)
    } catch (error) {
      const left = deadline - performance.now()
      if (!(error instanceof RunActiveError) || onBusy === 'reject' || left <= 0) throw error
      if (onBusy === 'interrupt' && !isAsked) {
        const by = how.worker === undefined ? '' : ` by ${how.worker}`
        await cancelRun(deps, id, { reason: `displaced${by}` })
        isAsked = true
      }
      // a lease that expires wakes nobody
      await pause(Math.min(left, LOOK_AGAIN), stop, (wake) => deps.store.watch(id, wake))
    }
  }
}

/** Milliseconds until a waiting run looks again, although nothing was written. */
const LOOK_AGAIN = 500

/** Begins a run on a session that needs work and returns its handle. */
export async function claimSession(deps: Deps, options: ClaimOptions, sessionOn: SessionOn): Promise<Run> {
  const { signal, ...claim } = parse(claimInput, options)
  const stop = signal === undefined ? deps.closed : AbortSignal.any([signal, deps.closed])
  const grant = await claimRun(deps, claim as Claim, stop)
  if (grant === undefined) throw stop.reason
  return held(deps, grant, sessionOn)
}

/** Milliseconds between two looks whether a run has to stop: each of its own writes is a hint too. */
const LOOKS_MS = 200

/** Follows a session and calls back when the run has to stop. Returns a function that ends this. */
export function watchStop(deps: Deps, id: string, generation: number, onStop: (stop: Stop) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const look = async () => {
    timer = undefined
    try {
      const stop = await runStop(deps, id, generation)
      if (stop !== undefined && !isOver) onStop(stop)
    } catch {
      // the next renewal looks again
    }
  }
  const lookSoon = () => {
    timer ??= setTimeout(() => void look(), LOOKS_MS)
  }
  const unwatch = deps.store.watch(id, lookSoon)
  // for what was written after the run began and before the watch did
  lookSoon()
  return () => {
    isOver = true
    clearTimeout(timer)
    unwatch()
  }
}

/** What a worker does with its run, in whatever process. The store of `own` refuses writes once the run is over. */
export function runAccess(own: Deps, id: string, generation: number): Omit<RunCalls, 'renew' | 'watch'> {
  return {
    finish: (outcome, note) => finishRun(own, id, generation, outcome, note),
    findStep: (key) => findStep(own, id, key),
    recordStep: (key, result) => recordStep(own, id, key, result),
  }
}

function held(deps: Deps, grant: RunGrant, sessionOn: SessionOn): Run {
  const { sessionId: id, generation } = grant
  const own: Deps = depsOfRun(deps, id, generation)
  const calls: RunCalls = {
    ...runAccess(own, id, generation),
    renew: () => renewRun(deps, id, grant),
    watch: (onStop) => watchStop(deps, id, generation, onStop),
  }
  return holdRun(sessionOn(own, id), grant, calls)
}
