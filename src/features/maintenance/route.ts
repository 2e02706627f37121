import { z } from 'zod/mini'
import type { Route } from '../../http/route.ts'
import { parse } from '../kernel/parse.ts'
import { healthOf, rebuildSessions, verifySessions } from './operation.ts'
import { healthResponse, rebuildResponse, sweepResponse, verifyResponse } from './response.ts'
import { sweepSessions } from './sweep.ts'

const sessionChoice = z.strictObject({
  sessionId: z.optional(z.string().register(z.globalRegistry, { description: 'Only this session; all where absent.' })),
})

export const maintenanceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/health',
    operation: 'health',
    summary: 'That the store answers, what it says of itself, and how its cache is',
    response: healthResponse,
    handle: ({ deps }) => healthOf(deps),
  },
  {
    method: 'POST',
    path: '/verify',
    operation: 'verify',
    summary: 'Folds logs again and names what differs from the views that are stored; changes nothing',
    body: sessionChoice,
    response: verifyResponse,
    long: true,
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ deps, body = {}, onProgress }) =>
      await verifySessions(deps, parse(sessionChoice, body).sessionId, { onProgress }),
  },
  {
    method: 'POST',
    path: '/rebuild',
    operation: 'rebuild',
    summary: 'Writes views anew from the log where they differ from it',
    body: sessionChoice,
    response: rebuildResponse,
    long: true,
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ deps, body = {}, onProgress }) =>
      await rebuildSessions(deps, parse(sessionChoice, body).sessionId, { onProgress }),
  },
  {
    method: 'POST',
    path: '/sweep',
    operation: 'sweepSessions',
    summary: 'Ends sessions that nobody came back to, and forgets what has expired',
    response: sweepResponse,
    long: true,
    handle: ({ deps, onProgress }) => sweepSessions(deps, { onProgress }),
  },
]
