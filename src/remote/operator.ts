import type { Envelopes, Intake, Throughline, WarmOptions, WarmReport } from '../api.ts'
import type { Envelope } from '../domain/envelope.ts'
import { ValidationError } from '../domain/errors.ts'
import { defined } from '../domain/optional.ts'
import { backfillOptions, rollbackOptions } from '../features/envelope/schema.ts'
import { parse, uuid } from '../features/kernel/parse.ts'
import { sweepOptions } from '../features/maintenance/schema.ts'
import { indexOptions } from '../features/recall/schema.ts'
import type { Connection } from './connection.ts'
import { sessionPath } from './path.ts'
import { toJson } from './request.ts'
import { RetryableError } from './retryable-error.ts'

type OnProgress = ((progress: never) => void) | undefined

/** Ids in one request to warm the cache. */
const BATCH = 1000

/** Calls that go through all sessions. */
export function remoteMaintenance(connection: Connection): Pick<Throughline, 'verify' | 'rebuild' | 'index' | 'sweep'> {
  const run = async <T>(path: string, body: string | undefined, onProgress: OnProgress) =>
    await connection.requestWithProgress<T>({ method: 'POST', path, body, idempotent: true }, onProgress)
  const runOn = async <T>(path: string, sessionId: string | undefined, onProgress: OnProgress) => {
    // checks the id
    if (sessionId !== undefined) sessionPath(sessionId)
    return await run<T>(path, toJson({ sessionId }), onProgress)
  }
  return {
    verify: (sessionId, { onProgress } = {}) => runOn('/verify', sessionId, onProgress),
    rebuild: (sessionId, { onProgress } = {}) => runOn('/rebuild', sessionId, onProgress),
    index: async (options = {}) => {
      const { onProgress, ...body } = parse(indexOptions, options)
      return await run('/index', toJson(body), onProgress)
    },
    sweep: async (options = {}) => {
      const { sessionIds, onProgress } = parse(sweepOptions, options)
      return await run('/sweep', toJson(defined({ sessionIds })), onProgress)
    },
  }
}

/** Calls on the envelopes of all sessions. Never retried: a second report would not show what the first call did. */
export function remoteEnvelopes(connection: Connection): Envelopes {
  const run = async <T>(action: string, body: object, onProgress: OnProgress) =>
    await connection.requestWithProgress<T>(
      { method: 'POST', path: `/envelopes/${action}`, body: toJson(body) },
      onProgress,
    )
  return {
    backfill: async (options) => {
      const { onProgress, ...body } = parse(backfillOptions, options)
      return await run('backfill', body, onProgress)
    },
    rollback: async (options) => {
      const { onProgress, ...body } = parse(rollbackOptions, options)
      return await run('rollback', body, onProgress)
    },
    warm: (options) => warm((sessions, onProgress) => run('warm', { sessions }, onProgress), options),
    cached: () => cachedEnvelopes(connection),
  }
}

/** Whether the server accepts new sessions. */
export function remoteIntake(connection: Connection): Intake {
  return {
    pause: () => connection.post('/intake/pause'),
    resume: () => connection.post('/intake/resume'),
    status: () => connection.get('/intake'),
  }
}

type WarmBatch = (ids: readonly string[] | undefined, onProgress: OnProgress) => Promise<WarmReport>

async function warm(warmBatch: WarmBatch, { sessions, onProgress }: WarmOptions = {}): Promise<WarmReport> {
  const total: WarmReport = { sessions: 0, filled: 0, present: 0, unknown: 0, failed: 0 }
  const add = async (ids: readonly string[] | undefined) => {
    const before = total.sessions
    const report = await warmBatch(ids, ({ sessions: done, of }: { sessions: number; of: number }) =>
      onProgress?.({ sessions: before + done, of: Math.max(of, before + done) }),
    )
    for (const count of Object.keys(total) as (keyof WarmReport)[]) total[count] += report[count]
  }
  if (sessions === undefined) await add(undefined)
  else for await (const ids of batches(sessions)) await add(ids)
  return total
}

/** Yields at least one batch, even an empty one, because only the server knows whether there is a cache. */
async function* batches(sessions: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  let isFirst = true
  for await (const id of sessions) {
    if (!uuid().safeParse(id).success) {
      throw new ValidationError('sessions', `must be session ids; '${String(id).slice(0, 64)}' is not one`)
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
