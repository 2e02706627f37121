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
    summary: 'Takes a message of the user to where the conversation stands, and says what became of it',
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
    summary: 'Where the conversation stands when its user comes back, and what to say',
    body: z.omit(resumption(), CONVERSATION),
    response: resumedResponse,
    work: 'conversation',
    handle: ({ deps, id, body }) => resumeConversation(deps, id, body),
  },
  {
    method: 'POST',
    path: '/conversations/{id}/decline',
    operation: 'declineSession',
    summary: 'The user does not want to go on: the session ends, with a commit of what there is',
    body: z.omit(conversation(), CONVERSATION),
    response: resumedResponse,
    errors: ['IDEMPOTENCY_MISMATCH'],
    work: 'conversation',
    handle: ({ deps, id, body, key }) => declineSession(deps, id, body, key),
  },
]
