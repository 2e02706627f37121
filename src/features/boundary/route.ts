import { z } from 'zod/mini'
import type { Route } from '../route.ts'
import { recordAnswer } from '../sessions/answer.ts'
import { outcomeAnswer, resumedAnswer, sweepAnswer } from './answer.ts'
import { declineSession, handleMessage, resumeConversation } from './conversations.ts'
import { abort, answer, ask, confirm, continueWith, endSession, incorporate, interrupt, propose } from './operation.ts'
import {
  abortInput,
  askInput,
  continueInput,
  conversation,
  incoming,
  incorporateInput,
  proposeInput,
  resumption,
  textInput,
} from './schema.ts'
import { sweepSessions } from './sweep.ts'

/** Stands in a header. */
const KEY = { idempotencyKey: true } as const
/** Stands in the path. */
const CONVERSATION = { conversationId: true } as const

/** What all steps of a life have in common. */
const step = {
  method: 'POST',
  answer: recordAnswer,
  errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'INVALID_TRANSITION', 'IDEMPOTENCY_MISMATCH'],
  work: 'session',
} as const satisfies Partial<Route>

const lifeRoutes: readonly Route[] = [
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

const conversationRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/conversations/{id}/messages',
    operation: 'handleMessage',
    summary: 'Takes a message of the user to where the conversation stands, and says what became of it',
    body: z.omit(incoming(), CONVERSATION),
    answer: outcomeAnswer,
    errors: ['INTAKE_PAUSED', 'IDEMPOTENCY_MISMATCH'],
    work: 'conversation',
    handle: ({ deps, id, body, key }) => handleMessage(deps, id, body, key),
  },
  {
    method: 'POST',
    path: '/conversations/{id}/resume',
    operation: 'resumeConversation',
    summary: 'Where the conversation stands when its user comes back, and what to say',
    body: z.omit(resumption(), CONVERSATION),
    answer: resumedAnswer,
    work: 'conversation',
    handle: ({ deps, id, body }) => resumeConversation(deps, id, body),
  },
  {
    method: 'POST',
    path: '/conversations/{id}/decline',
    operation: 'declineSession',
    summary: 'The user does not want to go on: the session ends, with a commit of what there is',
    body: z.omit(conversation(), CONVERSATION),
    answer: resumedAnswer,
    errors: ['IDEMPOTENCY_MISMATCH'],
    work: 'conversation',
    handle: ({ deps, id, body, key }) => declineSession(deps, id, body, key),
  },
]

export const boundaryRoutes: readonly Route[] = [
  ...lifeRoutes,
  ...conversationRoutes,
  {
    method: 'POST',
    path: '/sweep',
    operation: 'sweepSessions',
    summary: 'Ends sessions that nobody came back to, and forgets what has expired',
    answer: sweepAnswer,
    long: true,
    handle: ({ deps, onProgress }) => sweepSessions(deps, { onProgress }),
  },
]
