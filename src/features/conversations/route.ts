import { z } from 'zod/mini'
import type { Route } from '../../http/route.ts'
import { declineSession, handleMessage, resumeConversation } from './operation.ts'
import { outcomeResponse, resumedResponse } from './response.ts'
import { conversation, incoming, resumption } from './schema.ts'

/** Stands in the path. */
const CONVERSATION = { conversationId: true } as const

export const conversationRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/conversations/{id}/messages',
    operation: 'handleMessage',
    summary: "Apply a user's message to a conversation and say what it led to",
    body: z.omit(incoming(), CONVERSATION),
    response: outcomeResponse,
    errors: ['INTAKE_PAUSED', 'IDEMPOTENCY_MISMATCH'],
    work: 'conversation',
    handle: ({ deps, id, body, key }) => handleMessage(deps, id, body, key),
  },
  {
    method: 'POST',
    path: '/conversations/{id}/resume',
    operation: 'resumeConversation',
    summary: 'Say how to continue a conversation when its user comes back',
    body: z.omit(resumption(), CONVERSATION),
    response: resumedResponse,
    work: 'conversation',
    handle: ({ deps, id, body }) => resumeConversation(deps, id, body),
  },
  {
    method: 'POST',
    path: '/conversations/{id}/decline',
    operation: 'declineSession',
    summary: 'End the session because the user does not want to continue, with a commit of what was done',
    body: z.omit(conversation(), CONVERSATION),
    response: resumedResponse,
    errors: ['IDEMPOTENCY_MISMATCH'],
    work: 'conversation',
    handle: ({ deps, id, body, key }) => declineSession(deps, id, body, key),
  },
]
