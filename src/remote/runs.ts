import type { ClaimOptions, Run, RunOptions, Session, Throughline } from '../api.ts'
import { RunActiveError } from '../domain/errors.ts'
import type { Json } from '../domain/json.ts'
import { parse } from '../features/kernel/parse.ts'
import { holdRun, isPurged, type RunCalls, type RunGrant } from '../features/runs/hold-run.ts'
import { cancelInput, claimInput, LONGEST_CALL, runInput } from '../features/runs/schema.ts'
import type { Stop } from '../features/runs/stop.ts'
import { type Connection, idempotencyKeyOf } from './connection.ts'
import { toJson } from './request.ts'
import { Backoff } from './retry.ts'
import { RetryableError } from './retryable-error.ts'

/** Makes the handle of a session whose writes belong to a run. */
export type SessionOn = (connection: Connection, id: string) => Promise<Session> | Session

type RunCall = 'run' | 'runs' | 'cancel' | 'wakeAt'

/** Calls on the runs of a session. */
export function runSessionCalls(connection: Connection, id: string, sessionOn: SessionOn): Pick<Session, RunCall> {
  const path = `/sessions/${id}`
  return {
    run: async (options) => await held(connection, await begin(connection, path, options), sessionOn),
    runs: async () => (await connection.get<{ items: never[] }>(`${path}/runs`)).items,
    cancel: async (options = {}) => {
      const { idempotencyKey: _key, ...body } = parse(cancelInput, options)
      return await connection.write('POST', `${path}/cancel`, toJson(body), { ...onlyKey(options) })
    },
    wakeAt: async (time, options = {}) => {
      const { idempotencyKey: _key, ...rest } = options
      const body = toJson({ ...rest, at: time instanceof Date ? isoOf(time) : time })
      return await connection.write('POST', `${path}/wakes`, body, { ...onlyKey(options) })
    },
  }
}

function onlyKey({ idempotencyKey }: { idempotencyKey?: string }): { idempotencyKey?: string } {
  return idempotencyKey === undefined ? {} : { idempotencyKey }
}

/** The server refuses the text of an invalid date. */
function isoOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'Invalid Date' : date.toISOString()
}

/** Begins a run. A call waits for a while only, so a longer wait takes several. */
async function begin(connection: Connection, path: string, options: RunOptions = {}): Promise<RunGrant> {
  const { waitMs, idempotencyKey: _key, ...body } = parse(runInput, options)
  const deadline = performance.now() + waitMs
  const key = idempotencyKeyOf(onlyKey(options))
  for (;;) {
    const left = Math.max(0, Math.round(deadline - performance.now()))
    try {
      const call = { ...body, waitMs: Math.min(left, LONGEST_CALL) }
      return await connection.request({ method: 'POST', path: `${path}/runs`, key, body: toJson(call) })
    } catch (error) {
      if (!(error instanceof RunActiveError) || body.onBusy === 'reject' || performance.now() >= deadline) throw error
    }
  }
}

/** Begins a run on a session that needs work, and waits until there is one. */
export function remoteClaim(connection: Connection, sessionOn: SessionOn): Throughline['claim'] {
  return async (options: ClaimOptions): Promise<Run> => {
    const { signal, ...claim } = parse(claimInput, options)
    const stop = signal === undefined ? connection.closeSignal : AbortSignal.any([signal, connection.closeSignal])
    for (;;) {
      stop.throwIfAborted()
      const body = toJson({ ...claim, waitMs: LONGEST_CALL })
      const grant = await connection
        // safe to send again: a run whose response was lost is taken over once its lease has expired
        .request<RunGrant | undefined>({ method: 'POST', path: '/claim', body, signal: stop, idempotent: true })
        .catch((error: unknown) => {
          stop.throwIfAborted()
          throw error
        })
      if (grant !== undefined) return await held(connection, grant, sessionOn)
    }
  }
}

async function held(connection: Connection, grant: RunGrant, sessionOn: SessionOn): Promise<Run> {
  const { sessionId, generation, ttlMs } = grant
  const path = `/sessions/${sessionId}/runs/${generation}`
  const calls: RunCalls = {
    renew: async () => await connection.post<Stop | undefined>(`${path}/renew`, toJson({ ttlMs })),
    finish: async (outcome, note) => {
      // sent again after a lost response, the run would be over
      await connection.request({ method: 'POST', path: `${path}/finish`, body: toJson({ outcome, note }) })
    },
    findStep: async (key) => await connection.get<{ result?: Json } | undefined>(`${path}/steps`, { key }),
    recordStep: async (key, result) =>
      // the key of the step makes it safe to send again
      await connection.post<{ result?: Json }>(`${path}/steps`, toJson({ key, result })),
    watch: (onStop) => watchStop(connection, path, onStop),
  }
  return holdRun(await sessionOn(connection.forRun(generation), sessionId), grant, calls)
}

/** Follows the stream that says when the run has to stop; a lost stream is opened again. */
function watchStop(connection: Connection, path: string, onStop: (stop: Stop) => void): () => void {
  const end = new AbortController()
  const signal = AbortSignal.any([end.signal, connection.closeSignal])
  const follow = async () => {
    const backoff = new Backoff(connection.timeouts, Number.POSITIVE_INFINITY)
    while (!signal.aborted) {
      try {
        const call = { method: 'GET', path: `${path}/signal` } as const
        for await (const { event, data } of connection.stream(call, { signal, onActivity: () => backoff.reset() })) {
          if (event === 'message' && !signal.aborted) {
            onStop(JSON.parse(data) as Stop)
            return
          }
        }
      } catch (error) {
        if (isPurged(error)) onStop({ reason: 'purged' })
        // renewals still tell
        if (!(error instanceof RetryableError)) return
      }
      await backoff.next(0, signal)
    }
  }
  void follow()
  return () => end.abort()
}
