import { z } from 'zod/mini'
import type { Route } from '../../http/route.ts'
import { flushStep, progressOf, readGraph } from './operation.ts'
import { graphResponse, progressResponse, stepResponse } from './response.ts'
import { graphQuery } from './schema.ts'

export const workRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/sessions/{id}/steps',
    operation: 'flushStep',
    summary: 'Makes what was observed durable, as one work commit; nothing if nothing was',
    body: z.strictObject({}),
    response: stepResponse,
    mayBeEmpty: true,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH'],
    work: 'session',
    handle: ({ deps, id, body, key }) => flushStep(deps, id, { ...body, ...key }),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/graph',
    operation: 'readGraph',
    summary: 'The things around a node of the work, and how they are related',
    query: graphQuery(),
    response: graphResponse,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, id, query }) => readGraph(deps, id, query),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/progress',
    operation: 'readProgress',
    summary: 'What was done so far, for people to read',
    response: progressResponse,
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ deps, id }) => ({ text: await progressOf(deps, id) }),
  },
]
