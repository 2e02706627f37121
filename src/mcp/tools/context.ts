import { z } from 'zod'
import { quote } from '../quote.ts'
import { defineTool, sessionId } from '../tool.ts'
import { messageText } from '../views.ts'

const buildContext = defineTool({
  name: 'build_context',
  title: 'Build context for a model',
  description:
    'Get what a model needs to continue a session within a token budget: task, scratchpad, summaries of earlier sessions in the conversation, and the latest messages. Call when you take over work without its history, or brief another model.',
  input: z.object({
    sessionId,
    maxTokens: z
      .int()
      .min(1)
      .max(50_000)
      .default(4000)
      .describe('Token budget for the content, 1 to 50,000. Speaker names are not counted.'),
    recall: z
      .boolean()
      .default(false)
      .describe('Also include related content from other sessions and memories. The session logs what was recalled.'),
  }),
  effect: 'adds',
  async run({ tl }, { sessionId: id, maxTokens, recall }) {
    const session = await tl.sessions.get(id)
    const { messages, tokens, omitted, dangling } = await session.context({ maxTokens, recall })
    const omissions = omitted.map(({ section, count, reason }) => `(${count} of ${section} omitted: ${reason})`)
    const unanswered = dangling.length === 0 ? [] : [`tool calls without a result: ${dangling.join(', ')}`]
    const lines = messages.map(({ role, agentId, toolCallId, content, toolCalls }) =>
      messageText({ who: role, agent: agentId, toolCallId, content, toolCalls }),
    )
    // text only: structured content would repeat it and double the budget, and some clients show only one of them
    return { data: undefined, text: [`${tokens} tokens.`, ...omissions, quote(...lines, ...unanswered)].join('\n') }
  },
})

export const contextTools = [buildContext]
