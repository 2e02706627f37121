import { z } from 'zod/mini'
import { defined } from '../../domain/optional.ts'
import type { Route } from '../../http/route.ts'
import { parse } from '../kernel/parse.ts'
import { healthOf, rebuildSessions, verifySessions } from './operation.ts'
import { healthResponse, rebuildResponse, sweepResponse, verifyResponse } from './response.ts'
import { sweepBody } from './schema.ts'
import { sweepSessions } from './sweep.ts'

const sessionChoice = z.strictObject({
  sessionId: z.optional(z.string().register(z.globalRegistry, { description: 'Only this session. Default: all.' })),
})

export const maintenanceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/health',
    operation: 'health',
    summary: 'Check the health of the store and its cache',
    response: healthResponse,
    handle: ({ deps }) => healthOf(deps),
  },
  {
    method: 'POST',
    path: '/verify',
    operation: 'verify',
    summary: 'Check logs, fold them again and report each difference from the stored views; changes nothing',
    body: sessionChoice,
    response: verifyResponse,
    long: true,
    bulk: true,
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ deps, body = {}, onProgress }) =>
      await verifySessions(deps, parse(sessionChoice, body).sessionId, { onProgress }),
  },
  {
    method: 'POST',
    path: '/rebuild',
    operation: 'rebuild',
    summary: 'Rewrite views that differ from their log',
    body: sessionChoice,
    response: rebuildResponse,
    long: true,
    bulk: true,
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ deps, body = {}, onProgress }) =>
      await rebuildSessions(deps, parse(sessionChoice, body).sessionId, { onProgress }),
  },
  {
    method: 'POST',
    path: '/sweep',
    operation: 'sweepSessions',
    summary: 'End stale and expired sessions, and forget expired memories',
    body: sweepBody,
    response: sweepResponse,
    long: true,
    bulk: true,
    handle: ({ deps, body = {}, onProgress }) =>
      sweepSessions(deps, defined({ ...parse(sweepBody, body), onProgress })),
  },
]
