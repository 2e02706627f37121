import { z } from 'zod/mini'
import type { WarmOptions } from '../../api.ts'
import { requireOperator } from '../access.ts'
import { parse } from '../parse.ts'
import type { Route } from '../route.ts'
import { backfillAnswer, cachedAnswer, envelopeAnswer, intakeAnswer, rollbackAnswer, warmAnswer } from './answer.ts'
import {
  backfill,
  cachedEnvelopes,
  intakeStatus,
  pauseIntake,
  requireCache,
  resumeIntake,
  rollback,
  warm,
} from './fleet.ts'
import { readEnvelope, updateEnvelope } from './operation.ts'
import { backfillOptions, envelopeChange, rollbackOptions } from './schema.ts'

const warmBody = z.strictObject({
  sessions: z.optional(
    z.array(z.string()).register(z.globalRegistry, { description: 'Only these sessions; all where absent.' }),
  ),
})

export const envelopeRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/sessions/{id}/envelope',
    operation: 'getEnvelope',
    summary: 'The canonical document of a session',
    answer: envelopeAnswer,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, id }) => readEnvelope(deps, id),
  },
  {
    method: 'PATCH',
    path: '/sessions/{id}/envelope',
    operation: 'updateEnvelope',
    summary: 'Changes the envelope; metadata and analysis are merged (RFC 7396)',
    body: envelopeChange(),
    answer: envelopeAnswer,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH'],
    handle: ({ deps, id, body, key }) => updateEnvelope(deps, id, body, key),
  },
  {
    method: 'GET',
    path: '/intake',
    operation: 'intakeStatus',
    summary: 'Whether new sessions are taken; only for whoever runs the store',
    answer: intakeAnswer,
    handle: ({ deps }) => intakeStatus(deps),
  },
  {
    method: 'POST',
    path: '/intake/pause',
    operation: 'pauseIntake',
    summary: 'Stops taking new sessions; what exists goes on',
    answer: intakeAnswer,
    handle: ({ deps }) => pauseIntake(deps),
  },
  {
    method: 'POST',
    path: '/intake/resume',
    operation: 'resumeIntake',
    summary: 'Takes new sessions again',
    answer: intakeAnswer,
    handle: ({ deps }) => resumeIntake(deps),
  },
  {
    method: 'POST',
    path: '/envelopes/backfill',
    operation: 'backfillEnvelopes',
    summary: 'Makes sessions and envelopes of those in the database of an older system, which the server opens',
    body: z.omit(backfillOptions(), { onProgress: true }),
    answer: backfillAnswer,
    long: true,
    // the operation refuses all but the operator before it looks at `from`
    handle: ({ deps, body, onProgress }) => backfill(deps, { ...body, onProgress }),
  },
  {
    method: 'POST',
    path: '/envelopes/rollback',
    operation: 'rollbackEnvelopes',
    summary: 'Takes stored envelopes away again, by backfill or by time; the logs stay',
    body: z.omit(rollbackOptions(), { onProgress: true }),
    answer: rollbackAnswer,
    long: true,
    handle: ({ deps, body, onProgress }) => rollback(deps, { ...body, onProgress }),
  },
  {
    method: 'POST',
    path: '/envelopes/warm',
    operation: 'warmEnvelopes',
    summary: 'Fills the cache from the store',
    body: warmBody,
    answer: warmAnswer,
    long: true,
    handle: async ({ deps, body = {}, onProgress }) =>
      await warm(deps, { ...parse(warmBody, body), onProgress } as WarmOptions),
  },
  {
    method: 'GET',
    path: '/envelopes/cached',
    operation: 'cachedEnvelopes',
    summary: 'Every envelope that the cache holds',
    answer: cachedAnswer,
    stream: true,
    handle({ deps }) {
      // before the stream stands, or the refusal would come on it
      requireOperator(deps)
      requireCache(deps)
      return cachedEnvelopes(deps)
    },
  },
]
