import { z } from 'zod/mini'
import type { Route } from '../../http/route.ts'
import { buildContext, reduceContext } from './operation.ts'
import { contextResponse, reducedResponse } from './response.ts'
import { contextOptions, reduceOptions } from './schema.ts'

export const contextRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/sessions/{id}/reduce',
    operation: 'reduceContext',
    summary: 'Shrink the past of a live session for the model by a window, truncation or a summary',
    body: z.omit(reduceOptions(), { idempotencyKey: true }),
    response: reducedResponse,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH'],
    handle: ({ deps, id, body, key }) => reduceContext(deps, id, { ...body, ...key }),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/context',
    operation: 'buildContext',
    summary: "Build the model's input within a token budget, and say what was left out",
    body: contextOptions(),
    response: contextResponse,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, id, body }) => buildContext(deps, id, body),
  },
]
