import { z } from 'zod/mini'
import type { Route } from '../../http/route.ts'
import { jsonObject } from '../kernel/parse.ts'
import { addToState, incrementState, passGate, replaceState, sessionState, updateState } from './operation.ts'
import { scratchpadResponse } from './response.ts'
import { addInput, gateInput, incrementInput } from './schema.ts'

/** What every change has in common. */
const change = {
  response: scratchpadResponse,
  errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH'],
} as const satisfies Partial<Route>

export const stateRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/sessions/{id}/state',
    operation: 'getState',
    summary: 'Read the scratchpad',
    response: scratchpadResponse,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, id }) => sessionState(deps, id),
  },
  {
    ...change,
    method: 'PATCH',
    path: '/sessions/{id}/state',
    operation: 'updateState',
    summary: 'Merge a patch into the scratchpad (RFC 7396): null removes a key',
    body: jsonObject(),
    handle: ({ deps, id, body, key }) => updateState(deps, id, body, key),
  },
  {
    ...change,
    method: 'PUT',
    path: '/sessions/{id}/state',
    operation: 'replaceState',
    summary: 'Replace the scratchpad',
    body: jsonObject(),
    handle: ({ deps, id, body, key }) => replaceState(deps, id, body, key),
  },
  {
    ...change,
    method: 'POST',
    path: '/sessions/{id}/state/add',
    operation: 'addToState',
    summary: 'Add a value to a list in the scratchpad, unless the list already has it',
    body: z.omit(addInput(), { idempotencyKey: true }),
    handle: ({ deps, id, body, key }) => addToState(deps, id, { ...body, ...key }),
  },
  {
    ...change,
    method: 'POST',
    path: '/sessions/{id}/state/increment',
    operation: 'incrementState',
    summary: 'Add to a number in the scratchpad; a missing one counts as 0',
    body: z.omit(incrementInput(), { idempotencyKey: true }),
    handle: ({ deps, id, body, key }) => incrementState(deps, id, { ...body, ...key }),
  },
  {
    ...change,
    method: 'POST',
    path: '/sessions/{id}/gates',
    operation: 'passGate',
    summary: 'Record a passed gate, as an event and in the scratchpad',
    body: z.omit(gateInput(), { idempotencyKey: true }),
    handle: ({ deps, id, body, key }) => passGate(deps, id, { ...body, ...key }),
  },
]
