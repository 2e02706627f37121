import { z } from 'zod/mini'
import type { ErrorCode } from '../../domain/errors.ts'
import { listOf } from '../../http/response-schema.ts'
import type { Route } from '../../http/route.ts'
import { eventResponse } from '../log/response.ts'
import { recordResponse } from '../sessions/response.ts'
import { branchesOf, replaceMessage, rewindSession } from './operation.ts'
import { branchResponse } from './response.ts'
import { branchesQuery, replaceInput, rewindInput } from './schema.ts'

const errors: readonly ErrorCode[] = [
  'SESSION_NOT_FOUND',
  'SESSION_ENDED',
  'RUN_ACTIVE',
  'TOO_LARGE',
  'IDEMPOTENCY_MISMATCH',
]

export const rewindRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/sessions/{id}/rewind',
    operation: 'rewindSession',
    summary: 'Continue from an earlier event; the log keeps what came after it',
    body: z.omit(rewindInput(), { idempotencyKey: true }),
    response: recordResponse,
    errors,
    work: 'session',
    handle: ({ deps, id, body, key }) => rewindSession(deps, id, { ...body, ...key }),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/replace',
    operation: 'replaceMessage',
    summary: 'Continue from before a message, with another one in its place',
    body: z.omit(replaceInput(), { idempotencyKey: true }),
    response: eventResponse,
    status: 201,
    errors,
    work: 'session',
    handle: ({ deps, id, body, key }) => replaceMessage(deps, id, { ...body, ...key }),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/branches',
    operation: 'listBranches',
    summary: 'List the branches that rewinds left, newest first',
    query: branchesQuery(),
    response: listOf(branchResponse),
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ deps, id, query }) => ({ items: await branchesOf(deps, id, query) }),
  },
]
