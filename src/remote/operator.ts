import type { Envelopes, Intake, IntakeStatus, Throughline, WarmOptions, WarmReport } from '../api.ts'
import type { Envelope } from '../domain/envelope.ts'
import { ValidationError } from '../domain/errors.ts'
import { backfillOptions, rollbackOptions } from '../features/envelope/schema.ts'
import { parse, uuid } from '../features/kernel/parse.ts'
import { indexOptions } from '../features/recall/schema.ts'
import type { Connection } from './connection.ts'
import { read, sessionPath } from './path.ts'
import { toJson } from './request.ts'
import { RetryableError } from './retryable-error.ts'

/** Ids that are sent at once to be warmed. */
const BATCH = 1000

/** What goes through all sessions. */
export function remoteMaintenance(connection: Connection): Pick<Throughline, 'verify' | 'rebuild' | 'index' | 'sweep'> {
  const work = async <T>(path: string, sessionId: string | undefined, onProgress?: (progress: never) => void) => {
    if (sessionId !== undefined) sessionPath(sessionId)
    return await connection.requestWithProgress<T>(
      { method: 'POST', path, body: toJson({ sessionId }), idempotent: true },
      onProgress,
    )
  }
  return {
    verify: (sessionId, { onProgress } = {}) => work('/verify', sessionId, onProgress),
    rebuild: (sessionId, { onProgress } = {}) => work('/rebuild', sessionId, onProgress),
    index: async (options = {}) => {
      const { onProgress, ...given } = parse(indexOptions, options)
      return await connection.requestWithProgress(
        { method: 'POST', path: '/index', body: toJson(given), idempotent: true },
        onProgress,
      )
    },
    sweep: ({ onProgress } = {}) =>
      connection.requestWithProgress({ method: 'POST', path: '/sweep', idempotent: true }, onProgress),
  }
}

/** Envelopes of all sessions at once. A second report would not say what the first call did, so none of them is repeated. */
export function remoteEnvelopes(connection: Connection): Envelopes {
  return {
    backfill: async (options) => {
      const { onProgress, ...given } = parse(backfillOptions, options)
      return await connection.requestWithProgress(
        { method: 'POST', path: '/envelopes/backfill', body: toJson(given) },
        onProgress,
      )
    },
    rollback: async (options) => {
      const { onProgress, ...given } = parse(rollbackOptions, options)
      return await connection.requestWithProgress(
        { method: 'POST', path: '/envelopes/rollback', body: toJson(given) },
        onProgress,
      )
    },
    warm: (options) => warm(connection, options),
    cached: () => cachedEnvelopes(connection),
  }
}

/** Whether new sessions are taken. */
export function remoteIntake(connection: Connection): Intake {
  const set = (path: string) => connection.request<IntakeStatus>({ method: 'POST', path, idempotent: true })
  return {
    pause: () => set('/intake/pause'),
    resume: () => set('/intake/resume'),
    status: () => read(connection, '/intake'),
  }
}

async function warm(connection: Connection, { sessions, onProgress }: WarmOptions = {}): Promise<WarmReport> {
  const total: WarmReport = { sessions: 0, filled: 0, present: 0, unknown: 0, failed: 0 }
  const send = async (ids: readonly string[] | undefined) => {
    const before = total.sessions
    const call = { method: 'POST', path: '/envelopes/warm', body: toJson({ sessions: ids }) } as const
    const report = await connection.requestWithProgress<WarmReport>(
      call,
      ({ sessions: done, of }: { sessions: number; of: number }) =>
        onProgress?.({ sessions: before + done, of: Math.max(of, before + done) }),
    )
    for (const count of Object.keys(total) as (keyof WarmReport)[]) total[count] += report[count]
  }
  if (sessions === undefined) await send(undefined)
  else for await (const ids of batches(sessions)) await send(ids)
  return total
}

/** At least one batch, be it empty: the server says whether there is a cache at all. */
async function* batches(sessions: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  let isFirst = true
  for await (const id of sessions) {
    if (!uuid().safeParse(id).success) {
      throw new ValidationError('sessions', `must be ids of sessions, and '${String(id).slice(0, 64)}' is none`)
    }
    batch.push(id)
    if (batch.length < BATCH) continue
    yield batch
    isFirst = false
    batch = []
  }
  if (batch.length > 0 || isFirst) yield batch
}

async function* cachedEnvelopes(connection: Connection): AsyncGenerator<Envelope> {
  try {
    for await (const { event, data } of connection.stream({ method: 'GET', path: '/envelopes/cached' })) {
      if (event === 'end') return
      yield JSON.parse(data) as Envelope
    }
    throw connection.connectionLost()
  } catch (error) {
    throw error instanceof RetryableError ? error.error : error
  }
}
