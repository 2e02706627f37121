import { z } from 'zod/mini'
import { ROLES } from '../../domain/event.ts'
import { MESSAGE_FORMATS } from '../../domain/formats/formats.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isoTime, jsonObject, name, pageSize, schema, text } from '../kernel/parse.ts'
import { usageInput } from '../log/operation.ts'

const toolCall = schema(() => z.strictObject({ id: name(), name: name(), arguments: text(LIMITS.parts) }))

const parts = schema(() =>
  jsonObject().check(
    z.refine((value) => !('toolCalls' in value || 'toolCallId' in value), 'toolCalls and toolCallId are not parts'),
  ),
)

export const messageInput = schema(() =>
  z
    .strictObject({
      role: z.enum(ROLES),
      content: text(LIMITS.content),
      toolCallId: z.optional(name()),
      toolCalls: z.optional(z.array(toolCall()).check(z.maxLength(LIMITS.calls))),
      timestamp: z.optional(isoTime()),
      agentId: z.optional(name()),
      parts: z.optional(parts()),
      usage: z.optional(usageInput()),
    })
    .check(
      z.superRefine(({ role, content, toolCalls = [], toolCallId, parts, usage }, context) => {
        const problem = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
        if (toolCalls.length > 0 && role !== 'assistant') problem('toolCalls', 'only the assistant calls tools')
        if (toolCallId !== undefined && role !== 'tool')
          problem('toolCallId', 'only a message of role tool answers a call')
        if (usage !== undefined && role !== 'assistant') problem('usage', 'is for messages of role assistant')
        if (usage !== undefined && parts !== undefined && 'usage' in parts)
          problem('parts.usage', 'must be absent: usage is already given')
        if (content === '' && toolCalls.length === 0 && toolCallId === undefined)
          problem('content', 'must not be empty')
      }),
    ),
)

export const messagesQuery = schema(() =>
  z.strictObject({
    agent: z.optional(name()),
    limit: z.optional(pageSize()),
    format: z.optional(z.enum(MESSAGE_FORMATS)),
  }),
)
