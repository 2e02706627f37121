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
    summary: 'Permanently remove a session',
    response: receiptResponse,
    bulk: true,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, id }) => purgeSession(deps, id),
  },
  {
    method: 'DELETE',
    path: '/users/{id}',
    operation: 'purgeUser',
    summary: "Permanently remove a user's sessions and memories",
    query: z.omit(purgeUserInput(), { userId: true }),
    response: receiptResponse,
    bulk: true,
    handle: ({ deps, id, query }) => purgeUser(deps, id, query),
  },
]
