import { z } from 'zod/mini'
import type { ErrorCode } from '../../domain/errors.ts'
import { listOf } from '../../http/response-schema.ts'
import type { Route } from '../../http/route.ts'
import { recordResponse } from '../sessions/response.ts'
import { handOff, recordTransition, setActiveAgent, streamTransitions, takeHandoff } from './operation.ts'
import { handoffResponse, transitionResponse } from './response.ts'
import { handoffInput, switchInput, transitionInput } from './schema.ts'

/** Error codes of every change. */
const errors: readonly ErrorCode[] = ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH']

export const agentsRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/sessions/{id}/handoff',
    operation: 'handOff',
    summary: 'Hand the session over to another agent, with context',
    body: handoffInput(),
    response: transitionResponse,
    errors,
    handle: ({ deps, id, body, key }) => handOff(deps, id, body, key),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/handoff/take',
    operation: 'takeHandoff',
    summary: 'Take the pending handoff; exactly one caller gets it',
    response: handoffResponse,
    mayBeEmpty: true,
    errors: [...errors],
    handle: ({ deps, id, key }) => takeHandoff(deps, id, key),
  },
  {
    method: 'PUT',
    path: '/sessions/{id}/agent',
    operation: 'setActiveAgent',
    summary: 'Set the active agent',
    body: z.omit(switchInput(), { idempotencyKey: true }),
    response: recordResponse,
    errors,
    handle: ({ deps, id, body, key }) => setActiveAgent(deps, id, { ...body, ...key }),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/transitions',
    operation: 'listTransitions',
    summary: 'List the transitions, oldest first',
    response: listOf(transitionResponse),
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ deps, id }) => ({ items: streamTransitions(deps, id) }),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/transitions',
    operation: 'recordTransition',
    summary: 'Set the active agent and record why',
    body: transitionInput(),
    response: transitionResponse,
    errors,
    handle: ({ deps, id, body, key }) => recordTransition(deps, id, body, key),
  },
]
