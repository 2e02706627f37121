import { z } from 'zod/mini'
import type { ErrorCode } from '../../domain/errors.ts'
import type { Route } from '../../http/route.ts'
import { jsonObject } from '../kernel/parse.ts'
import { addToState, incrementState, passGate, replaceState, sessionState, updateState } from './operation.ts'
import { scratchpadResponse } from './response.ts'
import { addInput, gateInput, incrementInput } from './schema.ts'

/** Error codes of every change. */
const errors: readonly ErrorCode[] = ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH']

export const stateRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/sessions/{id}/state',
    operation: 'getState',
    summary: 'The scratchpad as it is',
    response: scratchpadResponse,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, id }) => sessionState(deps, id),
  },
  {
    method: 'PATCH',
    path: '/sessions/{id}/state',
    operation: 'updateState',
    summary: 'Merges a patch into the scratchpad (RFC 7396): null removes a key',
    body: jsonObject(),
    response: scratchpadResponse,
    errors,
    handle: ({ deps, id, body, key }) => updateState(deps, id, body, key),
  },
  {
    method: 'PUT',
    path: '/sessions/{id}/state',
    operation: 'replaceState',
    summary: 'Puts another scratchpad in place of the one there is',
    body: jsonObject(),
    response: scratchpadResponse,
    errors,
    handle: ({ deps, id, body, key }) => replaceState(deps, id, body, key),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/state/add',
    operation: 'addToState',
    summary: 'Adds a value to a list of the scratchpad, unless the list has it',
    body: z.omit(addInput(), { idempotencyKey: true }),
    response: scratchpadResponse,
    errors,
    handle: ({ deps, id, body, key }) => addToState(deps, id, { ...body, ...key }),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/state/increment',
    operation: 'incrementState',
    summary: 'Adds to a number of the scratchpad, 0 if there is none',
    body: z.omit(incrementInput(), { idempotencyKey: true }),
    response: scratchpadResponse,
    errors,
    handle: ({ deps, id, body, key }) => incrementState(deps, id, { ...body, ...key }),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/gates',
    operation: 'passGate',
    summary: 'Records that a gate was passed, and its number in the scratchpad, together',
    body: z.omit(gateInput(), { idempotencyKey: true }),
    response: scratchpadResponse,
    errors,
    handle: ({ deps, id, body, key }) => passGate(deps, id, { ...body, ...key }),
  },
]
