import { z } from 'zod/mini'
import type { WarmOptions } from '../../api.ts'
import type { Route } from '../../http/route.ts'
import { requireOperator } from '../kernel/access.ts'
import { parse } from '../kernel/parse.ts'
import { readEnvelope, updateEnvelope } from './operation.ts'
import {
  backfill,
  cachedEnvelopes,
  intakeStatus,
  pauseIntake,
  requireCache,
  resumeIntake,
  rollback,
  warm,
} from './operator.ts'
import {
  backfillResponse,
  cachedResponse,
  envelopeResponse,
  intakeResponse,
  rollbackResponse,
  warmResponse,
} from './response.ts'
import { backfillOptions, envelopeChange, rollbackOptions } from './schema.ts'

const warmBody = z.strictObject({
  sessions: z.optional(
    z.array(z.string()).register(z.globalRegistry, { description: 'Only these sessions. Default: all.' }),
  ),
})

export const envelopeRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/sessions/{id}/envelope',
    operation: 'getEnvelope',
    summary: 'Read the envelope of a session',
    response: envelopeResponse,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, id }) => readEnvelope(deps, id),
  },
  {
    method: 'PATCH',
    path: '/sessions/{id}/envelope',
    operation: 'updateEnvelope',
    summary: 'Change the envelope; metadata and analysis are merged (RFC 7396)',
    body: envelopeChange(),
    response: envelopeResponse,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH'],
    handle: ({ deps, id, body, key }) => updateEnvelope(deps, id, body, key),
  },
  {
    method: 'GET',
    path: '/intake',
    operation: 'intakeStatus',
    summary: 'Say whether new sessions are accepted (operator only)',
    response: intakeResponse,
    handle: ({ deps }) => intakeStatus(deps),
  },
  {
    method: 'POST',
    path: '/intake/pause',
    operation: 'pauseIntake',
    summary: 'Stop accepting new sessions; existing ones continue',
    response: intakeResponse,
    handle: ({ deps }) => pauseIntake(deps),
  },
  {
    method: 'POST',
    path: '/intake/resume',
    operation: 'resumeIntake',
    summary: 'Accept new sessions again',
    response: intakeResponse,
    handle: ({ deps }) => resumeIntake(deps),
  },
  {
    method: 'POST',
    path: '/envelopes/backfill',
    operation: 'backfillEnvelopes',
    summary: 'Import sessions and envelopes from a legacy database that the server opens',
    body: z.omit(backfillOptions(), { onProgress: true }),
    response: backfillResponse,
    long: true,
    bulk: true,
    // refuse callers other than the operator before looking at `from`
    handle: ({ deps, body, onProgress }) => backfill(deps, { ...body, onProgress }),
  },
  {
    method: 'POST',
    path: '/envelopes/rollback',
    operation: 'rollbackEnvelopes',
    summary: 'Remove stored envelopes by backfill batch or by time; the logs stay',
    body: z.omit(rollbackOptions(), { onProgress: true }),
    response: rollbackResponse,
    long: true,
    bulk: true,
    handle: ({ deps, body, onProgress }) => rollback(deps, { ...body, onProgress }),
  },
  {
    method: 'POST',
    path: '/envelopes/warm',
    operation: 'warmEnvelopes',
    summary: 'Fill the cache from the store',
    body: warmBody,
    response: warmResponse,
    long: true,
    bulk: true,
    handle: async ({ deps, body = {}, onProgress }) =>
      await warm(deps, { ...parse(warmBody, body), onProgress } as WarmOptions),
  },
  {
    method: 'GET',
    path: '/envelopes/cached',
    operation: 'cachedEnvelopes',
    summary: 'List every cached envelope',
    response: cachedResponse,
    stream: true,
    handle({ deps }) {
      // before the stream opens, or the error would arrive inside it
      requireOperator(deps)
      requireCache(deps)
      return cachedEnvelopes(deps)
    },
  },
]
