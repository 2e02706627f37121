import { z } from 'zod/mini'
import { SessionNotFoundError, ValidationError } from '../../domain/errors.ts'
import { listOf } from '../../http/response-schema.ts'
import type { Call, Route } from '../../http/route.ts'
import type { Deps } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { recordResponse } from '../sessions/response.ts'
import { type Claim, claimRun } from './claim.ts'
import { depsOfRun } from './fenced-store.ts'
import { beginOrWait, watchStop } from './hold.ts'
import {
  cancelRun,
  findStep,
  finishRun,
  listRuns,
  recordStep,
  releaseRun,
  renewRun,
  runStop,
  scheduleWake,
} from './operation.ts'
import { grantResponse, runResponse, stepResponse, stopResponse, wakeResponse } from './response.ts'
import { cancelInput, claimBody, finishBody, renewInput, runBody, stepBody, stepQuery, wakeInput } from './schema.ts'
import type { Stop } from './stop.ts'

/** The generation in the path, and the store as that run uses it. */
function runIn({ deps, id, params }: Call): { generation: number; deps: Deps } {
  const { generation: text = '' } = params
  if (!/^\d{1,9}$/.test(text)) throw new ValidationError('generation', 'must be the number of a run')
  const generation = Number(text)
  return { generation, deps: depsOfRun(deps, id, generation) }
}

/** Yields why the run has to stop, once it has to. */
async function* stopsOf(
  deps: Deps,
  id: string,
  generation: number,
  signal: AbortSignal,
  first: Stop | undefined,
): AsyncGenerator<Stop> {
  if (first !== undefined) return yield first
  const { promise, resolve } = Promise.withResolvers<Stop | undefined>()
  const unwatch = watchStop(deps, id, generation, resolve)
  const leave = () => resolve(undefined)
  signal.addEventListener('abort', leave)
  try {
    if (signal.aborted) return
    // what happened before the watch began
    const stop = (await runStop(deps, id, generation)) ?? (await promise)
    if (stop !== undefined) yield stop
  } finally {
    signal.removeEventListener('abort', leave)
    unwatch()
  }
}

export const runsRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/sessions/{id}/runs',
    operation: 'beginRun',
    summary: 'Begin a run; a call that waits for the end of another one waits 25 s at most',
    body: runBody(),
    response: grantResponse,
    status: 201,
    waits: true,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'RUN_ACTIVE', 'IDEMPOTENCY_MISMATCH'],
    handle: ({ deps, id, body, key, signal }) =>
      beginOrWait(deps, id, { ...parse(runBody, body), ...key } as object, signal),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/runs',
    operation: 'listRuns',
    summary: 'List the runs of a session, newest first',
    response: listOf(runResponse),
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ deps, id }) => ({ items: await listRuns(deps, id) }),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/runs/{generation}/renew',
    operation: 'renewRun',
    summary: 'Extend the lease of a run; says why it has to stop, if it has to',
    body: renewInput(),
    response: stopResponse,
    mayBeEmpty: true,
    errors: ['SESSION_NOT_FOUND'],
    handle: async (call) => {
      const { ttlMs } = parse(renewInput, call.body)
      return await renewRun(call.deps, call.id, { generation: runIn(call).generation, ttlMs })
    },
  },
  {
    method: 'GET',
    path: '/sessions/{id}/runs/{generation}/signal',
    operation: 'followRun',
    summary: 'Stream why a run has to stop, once it has to',
    response: stopResponse,
    stream: true,
    errors: ['SESSION_NOT_FOUND'],
    async handle(call) {
      const { generation } = runIn(call)
      // before the stream begins: afterwards it is too late for a status
      const first = await runStop(call.deps, call.id, generation)
      if (first?.reason === 'purged') throw new SessionNotFoundError(call.id)
      return stopsOf(call.deps, call.id, generation, call.signal, first)
    },
  },
  {
    method: 'POST',
    path: '/sessions/{id}/runs/{generation}/finish',
    operation: 'finishRun',
    summary: 'End a run as completed or failed; one that was asked to stop ends as that',
    body: finishBody(),
    errors: ['SESSION_NOT_FOUND', 'RUN_LOST'],
    handle: async (call) => {
      const { outcome, note } = parse(finishBody, call.body)
      await finishRun(call.deps, call.id, runIn(call).generation, outcome, note)
      return undefined
    },
  },
  {
    method: 'GET',
    path: '/sessions/{id}/runs/{generation}/steps',
    operation: 'findStep',
    summary: 'Read the recorded result of a step; 204 if there is none',
    query: stepQuery(),
    response: stepResponse,
    mayBeEmpty: true,
    errors: ['SESSION_NOT_FOUND', 'RUN_LOST'],
    handle: async (call) => await findStep(runIn(call).deps, call.id, parse(stepQuery, call.query).key),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/runs/{generation}/steps',
    operation: 'recordStep',
    summary: 'Record the result of a step unless it has one; returns the recorded one',
    body: stepBody(),
    response: stepResponse,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'RUN_LOST'],
    handle: async (call) => {
      const { key, result } = parse(stepBody, call.body)
      return await recordStep(runIn(call).deps, call.id, key, result)
    },
  },
  {
    method: 'POST',
    path: '/sessions/{id}/cancel',
    operation: 'cancelRun',
    summary: 'Ask the live run to stop, wherever it is',
    body: z.omit(cancelInput(), { idempotencyKey: true }),
    response: recordResponse,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH'],
    handle: ({ deps, id, body, key }) => cancelRun(deps, id, { ...body, ...key }),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/wakes',
    operation: 'scheduleWake',
    summary: 'Make the session need work at a time',
    body: z.omit(wakeInput(), { idempotencyKey: true }),
    response: wakeResponse,
    status: 201,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH'],
    handle: ({ deps, id, body, key }) => scheduleWake(deps, id, { ...body, ...key }),
  },
  {
    method: 'POST',
    path: '/claim',
    operation: 'claimRun',
    summary: 'Begin a run on a session that needs work; 204 if there is none within `waitMs`',
    body: claimBody(),
    response: grantResponse,
    mayBeEmpty: true,
    waits: true,
    async handle({ deps, body, signal }) {
      const { waitMs, ...claim } = parse(claimBody, body)
      const end = AbortSignal.any([signal, deps.closed])
      const grant = await claimRun(deps, claim as Claim, end, waitMs)
      if (grant === undefined || !end.aborted) return grant
      // the worker left while its run began
      await releaseRun(deps, grant.sessionId, grant.generation)
      return undefined
    },
  },
]
