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
    summary: 'The agent asks the user and waits',
    body: z.omit(askInput(), KEY),
    handle: ({ deps, id, body, key }) => ask(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/answer',
    operation: 'answer',
    summary: 'The user answers what was asked: the work goes on',
    body: z.omit(textInput(), KEY),
    handle: ({ deps, id, body, key }) => answer(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/interrupt',
    operation: 'interrupt',
    summary: 'The user speaks up while the agent works',
    body: z.omit(textInput(), KEY),
    handle: ({ deps, id, body, key }) => interrupt(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/incorporate',
    operation: 'incorporate',
    summary: 'The agent has taken the interruption up: the work goes on',
    body: z.omit(incorporateInput(), KEY),
    handle: ({ deps, id, body, key }) => incorporate(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/propose',
    operation: 'propose',
    summary: 'The agent holds the task for done, and waits for the user to confirm',
    body: z.omit(proposeInput(), KEY),
    handle: ({ deps, id, body, key }) => propose(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/confirm',
    operation: 'confirm',
    summary: 'The user confirms: the session is complete, and compacted',
    body: z.strictObject({}),
    handle: ({ deps, id, body, key }) => confirm(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/continue',
    operation: 'continueWith',
    summary: 'The user wants more than was proposed: the work goes on',
    body: z.omit(continueInput(), KEY),
    handle: ({ deps, id, body, key }) => continueWith(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/abort',
    operation: 'abort',
    summary: 'Gives the task up, and compacts what there is',
    body: z.omit(abortInput(), KEY),
    handle: ({ deps, id, body, key }) => abort(deps, id, { ...body, ...key }),
  },
  {
    ...step,
    path: '/sessions/{id}/end',
    operation: 'endSession',
    summary: 'Ends the session as complete, in whatever live state it is, without a commit',
    body: z.strictObject({}),
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH'],
    handle: ({ deps, id, body, key }) => endSession(deps, id, { ...body, ...key }),
  },
]
