import { z } from 'zod/mini'
import { pageOf } from '../../http/response-schema.ts'
import type { Route } from '../../http/route.ts'
import { commitsOf, compactSession } from './operation.ts'
import { commitResponse } from './response.ts'
import { commitsQuery, compactInput } from './schema.ts'

export const compactionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/sessions/{id}/compact',
    operation: 'compactSession',
    summary: 'Make the commit of an ended session, or return the one it has',
    body: z.omit(compactInput(), { idempotencyKey: true }),
    response: commitResponse,
    errors: ['SESSION_NOT_FOUND', 'INVALID_TRANSITION', 'IDEMPOTENCY_MISMATCH'],
    long: true,
    handle: ({ deps, id, body, key, onProgress }) => compactSession(deps, id, { ...body, ...key, onProgress }),
  },
  {
    method: 'GET',
    path: '/conversations/{id}/commits',
    operation: 'listCommits',
    summary: 'List the commits of a conversation, oldest first',
    query: z.omit(commitsQuery(), { conversationId: true }),
    response: pageOf(commitResponse),
    handle: ({ deps, id, query }) => commitsOf(deps, id, query),
  },
]
