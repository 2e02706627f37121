import type { Route } from '../../http/route.ts'
import { parse } from '../kernel/parse.ts'
import { findRequests, openRequest, requestsOf, resolveRequest } from './operation.ts'
import { foundRequestsResponse, requestResponse, requestsResponse } from './response.ts'
import { findRequestsQuery, requestInput, requestsQuery, resolveInput } from './schema.ts'

export const requestsRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/sessions/{id}/requests',
    operation: 'openRequest',
    summary: 'Ask a person for a decision or a value; several requests can be open at once',
    body: requestInput(),
    response: requestResponse,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH'],
    handle: ({ deps, id, body, key }) => openRequest(deps, id, body, key),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/requests',
    operation: 'listRequests',
    summary: 'List the requests of a session: the open ones first, each newest first',
    query: requestsQuery(),
    response: requestsResponse,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, id, query }) => requestsOf(deps, id, query),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/requests/{requestId}/resolve',
    operation: 'resolveRequest',
    summary: 'Resolve a request with a value that fits its schema; exactly one caller does',
    body: resolveInput(),
    response: requestResponse,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'REQUEST_RESOLVED', 'IDEMPOTENCY_MISMATCH'],
    handle: ({ deps, id, params, body, key }) =>
      resolveRequest(deps, id, params['requestId'] ?? '', parse(resolveInput, body) as { value: unknown }, key),
  },
  {
    method: 'GET',
    path: '/requests',
    operation: 'findRequests',
    summary: 'List requests of all sessions',
    query: findRequestsQuery(),
    response: foundRequestsResponse,
    bulk: true,
    handle: ({ deps, query }) => findRequests(deps, query),
  },
]
