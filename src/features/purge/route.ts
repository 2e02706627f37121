import { z } from 'zod/mini'
import type { Route } from '../../http/route.ts'
import { purgeSession, purgeUser } from './operation.ts'
import { receiptResponse } from './response.ts'
import { purgeUserInput } from './schema.ts'

export const purgeRoutes: readonly Route[] = [
  {
    method: 'DELETE',
    path: '/sessions/{id}',
    operation: 'purgeSession',
    summary: 'Removes a session and all that is stored of it',
    response: receiptResponse,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, id }) => purgeSession(deps, id),
  },
  {
    method: 'DELETE',
    path: '/users/{id}',
    operation: 'purgeUser',
    summary: 'Removes every session of a user and all that is remembered of them',
    query: z.omit(purgeUserInput(), { userId: true }),
    response: receiptResponse,
    handle: ({ deps, id, query }) => purgeUser(deps, id, query),
  },
]
