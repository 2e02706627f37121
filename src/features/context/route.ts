import { z } from 'zod/mini'
import type { Route } from '../route.ts'
import { contextAnswer, reducedAnswer } from './answer.ts'
import { buildContext, reduceContext } from './operation.ts'
import { contextOptions, reduceOptions } from './schema.ts'

export const contextRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/sessions/{id}/reduce',
    operation: 'reduceContext',
    summary: 'Makes the past of a live session smaller for the model: by a window, by cutting, or by a summary',
    body: z.omit(reduceOptions(), { idempotencyKey: true }),
    answer: reducedAnswer,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH'],
    handle: ({ deps, id, body, key }) => reduceContext(deps, id, { ...body, ...key }),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/context',
    operation: 'buildContext',
    summary: 'What goes to the model, within a budget of any size, and what was left out',
    body: contextOptions(),
    answer: contextAnswer,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, id, body }) => buildContext(deps, id, body),
  },
]
