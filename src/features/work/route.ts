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
    summary: 'Write observations as one work commit',
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
    summary: 'Read the work graph around a node',
    query: graphQuery(),
    response: graphResponse,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, id, query }) => readGraph(deps, id, query),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/progress',
    operation: 'readProgress',
    summary: 'Read a progress report for people',
    response: progressResponse,
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ deps, id }) => ({ text: await progressOf(deps, id) }),
  },
]
