import { z } from 'zod/mini'
import type { Route } from '../../http/route.ts'
import { recordResponse } from '../sessions/response.ts'
import { abort, answer, ask, confirm, continueWith, endSession, incorporate, interrupt, propose } from './operation.ts'
import { abortInput, askInput, continueInput, incorporateInput, proposeInput, textInput } from './schema.ts'

/** Stands in a header. */
const KEY = { idempotencyKey: true } as const

/** What all steps of a life have in common. */
const step = {
  method: 'POST',
  response: recordResponse,
  errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'INVALID_TRANSITION', 'IDEMPOTENCY_MISMATCH'],
  work: 'session',
} as const satisfies Partial<Route>

export const lifecycleRoutes: readonly Route[] = [
  {
    ...step,
    path: '/sessions/{id}/ask',
    operation: 'ask',
    summary: 'Ask the user a question and wait for the answer',
    body: z.omit(askInput(), KEY),
    handle: ({ deps, id, body, key }) => ask(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/answer',
    operation: 'answer',
    summary: 'Answer the question: the session continues',
    body: z.omit(textInput(), KEY),
    handle: ({ deps, id, body, key }) => answer(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/interrupt',
    operation: 'interrupt',
    summary: 'Interrupt the agent with a message from the user',
    body: z.omit(textInput(), KEY),
    handle: ({ deps, id, body, key }) => interrupt(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/incorporate',
    operation: 'incorporate',
    summary: 'Take the interruption into account: the session continues',
    body: z.omit(incorporateInput(), KEY),
    handle: ({ deps, id, body, key }) => incorporate(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/propose',
    operation: 'propose',
    summary: 'Propose that the task is done and wait for the user to confirm',
    body: z.omit(proposeInput(), KEY),
    handle: ({ deps, id, body, key }) => propose(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/confirm',
    operation: 'confirm',
    summary: 'Confirm: the session completes and is compacted',
    body: z.strictObject({}),
    handle: ({ deps, id, body, key }) => confirm(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/continue',
    operation: 'continueWith',
    summary: 'Ask for more than was proposed: the session continues',
    body: z.omit(continueInput(), KEY),
    handle: ({ deps, id, body, key }) => continueWith(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/abort',
    operation: 'abort',
    summary: 'Abort the task and compact what was done',
    body: z.omit(abortInput(), KEY),
    handle: ({ deps, id, body, key }) => abort(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/end',
    operation: 'endSession',
    summary: 'End the session as complete from any live state, without a commit',
    body: z.strictObject({}),
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH'],
    handle: ({ deps, id, body, key }) => endSession(deps, id, { ...body, ...key }),
  },
]
