import { z } from 'zod'
import { ROLES } from '../../domain/event.ts'
import { sessionOf } from '../desk.ts'
import { DATA } from '../shown.ts'
import { sessionId, tool } from '../tool.ts'

const message = z.object({
  role: z.enum(ROLES),
  content: z.string(),
  toolCallId: z.string().optional(),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).optional(),
  agent: z.string().optional(),
})

const omission = z.object({ section: z.string(), count: z.int(), reason: z.string() })

const buildContext = tool({
  name: 'build_context',
  title: 'Build a context for a model',
  description:
    'Gives what a model needs to go on with a session, within a budget of tokens: task and scratchpad, summaries of earlier sessions of the conversation, the last messages. Use it to take over work whose history you do not have, or to brief another model.',
  input: z.object({
    sessionId,
    maxTokens: z.int().min(1).max(50_000).default(4000).describe('Budget, 1 to 50,000 tokens.'),
    recall: z
      .boolean()
      .default(false)
      .describe('Also what other sessions and the memories hold on it; what is recalled is written into the log.'),
  }),
  output: z.object({
    messages: z.array(message),
    tokens: z.int(),
    omitted: z.array(omission).describe('What was left out, and why.'),
    dangling: z.array(z.string()).describe('Ids of tool calls that wait for their result.'),
  }),
  effect: 'adds',
  async run(desk, { sessionId: id, maxTokens, recall }) {
    const session = await sessionOf(desk, id)
    const { messages, tokens, omitted, dangling } = await session.context({ maxTokens, recall })
    const shown = messages.map(({ role, content, toolCallId, toolCalls, agentId }) => ({
      role,
      content,
      ...(toolCallId !== undefined && { toolCallId }),
      ...(toolCalls !== undefined && { toolCalls }),
      ...(agentId !== undefined && { agent: agentId }),
    }))
    const lines = shown.map(({ role, content, toolCalls = [] }) =>
      [`${role}: ${content}`, ...toolCalls.map((call) => `  calls ${call.name} ${call.arguments} (${call.id})`)].join(
        '\n',
      ),
    )
    const left = omitted.map(({ section, count, reason }) => `(${count} of ${section} left out: ${reason})`)
    const data = { messages: shown, tokens, omitted, dangling }
    return { data, text: [`${tokens} tokens. ${DATA}`, ...lines, ...left].join('\n') }
  },
})

export const contextTools = [buildContext]
