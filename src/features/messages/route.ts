import { z } from 'zod/mini'
import { LIMITS } from '../../domain/limits.ts'
import { listOf } from '../../http/response-schema.ts'
import type { Route } from '../../http/route.ts'
import { parse, sequence } from '../kernel/parse.ts'
import { eventResponse } from '../log/response.ts'
import { addMessages, clearMessages, readMessages, streamMessages } from './operation.ts'
import { messagesResponse } from './response.ts'
import { messageInput, messagesQuery } from './schema.ts'

/** One message, several, or several with the sequence they must follow. */
const addBody = z.union([
  messageInput(),
  z.array(messageInput()),
  z.strictObject({ messages: z.array(messageInput()), expectedSequence: z.optional(sequence()) }),
])

/** The keys that {@link addBody} allows beside the messages; the operation checks each message. */
const withCondition = z.partial(z.strictObject({ messages: z.unknown(), expectedSequence: z.unknown() }))

export const messagesRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/sessions/{id}/messages',
    operation: 'listMessages',
    summary: "List the messages since the last clear, oldest first, optionally in a provider's format",
    query: messagesQuery(),
    response: messagesResponse,
    errors: ['SESSION_NOT_FOUND', 'TOO_LARGE'],
    async handle({ deps, id, query }) {
      const { format, limit } = parse(messagesQuery, query)
      if (format === undefined && limit === undefined) return { items: streamMessages(deps, id, query) }
      const messages = await readMessages(deps, id, query, LIMITS.windowSize)
      return format === undefined ? { items: messages } : { messages }
    },
  },
  {
    method: 'POST',
    path: '/sessions/{id}/messages',
    operation: 'addMessages',
    summary: 'Append messages to the conversation, all or none',
    body: addBody,
    response: listOf(eventResponse),
    status: 201,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'SEQUENCE_CONFLICT', 'IDEMPOTENCY_MISMATCH'],
    async handle({ deps, id, body, key }) {
      const several = typeof body === 'object' && body !== null && 'messages' in body
      const { messages, ...condition } = several ? parse(withCondition, body) : { messages: body }
      return { items: await addMessages(deps, id, messages as never, { ...condition, ...key } as object) }
    },
  },
  {
    method: 'DELETE',
    path: '/sessions/{id}/messages',
    operation: 'clearMessages',
    summary: 'Hide earlier messages from messages and windows; the log keeps them',
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH'],
    handle: ({ deps, id, key }) => clearMessages(deps, id, key),
  },
]
