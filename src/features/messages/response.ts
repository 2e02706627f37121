import { z } from 'zod'
import { ROLES } from '../../domain/event.ts'
import type { Message, ToolCall } from '../../domain/message.ts'
import { anyJson, anyObject, type Keys, listOf } from '../../http/response-schema.ts'
import { usageResponse } from '../usage/response.ts'

const toolCallResponse = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    arguments: z.string().meta({ description: 'JSON text as the model wrote it.' }),
  } satisfies Keys<ToolCall>)
  .meta({ id: 'ToolCall' })

export const messageResponse = z
  .strictObject({
    role: z.enum(ROLES),
    content: z.string(),
    toolCallId: z.string().meta({ description: 'The tool call that this is the result of.' }).optional(),
    toolCalls: z.array(toolCallResponse).optional(),
    timestamp: z.string().meta({ description: 'The time given by the caller.' }).optional(),
    agentId: z.string().optional(),
    parts: anyObject.optional(),
    usage: usageResponse.optional(),
  } satisfies Keys<Message>)
  .meta({ id: 'Message' })

/** Our own messages, or the requested format, whose shape is the provider's. */
export const messagesResponse = z.union([listOf(messageResponse), z.strictObject({ messages: anyJson })])
