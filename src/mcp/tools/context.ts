import { z } from 'zod'
import type { Message } from '../../domain/message.ts'
import { quote } from '../quote.ts'
import { oneLine } from '../response-limits.ts'
import { defineTool, sessionId } from '../tool.ts'
import { sessionOf } from '../tool-context.ts'

const buildContext = defineTool({
  name: 'build_context',
  title: 'Build a context for a model',
  description:
    'Gives what a model needs to go on with a session, within a budget of tokens: task and scratchpad, summaries of earlier sessions of the conversation, the last messages. Use it to take over work whose history you do not have, or to brief another model.',
  input: z.object({
    sessionId,
    maxTokens: z
      .int()
      .min(1)
      .max(50_000)
      .default(4000)
      .describe('Budget for what was said, 1 to 50,000 tokens; who says it comes on top.'),
    recall: z
      .boolean()
      .default(false)
      .describe('Also what other sessions and the memories hold on it; what is recalled is written into the log.'),
  }),
  effect: 'adds',
  async run(desk, { sessionId: id, maxTokens, recall }) {
    const session = await sessionOf(desk, id)
    const { messages, tokens, omitted, dangling } = await session.context({ maxTokens, recall })
    const left = omitted.map(({ section, count, reason }) => `(${count} of ${section} left out: ${reason})`)
    const waits = dangling.length === 0 ? [] : [`calls without a result: ${dangling.join(', ')}`]
    // words alone: the same as structured content would be twice the budget, and some clients show only one of them
    return {
      data: undefined,
      text: [`${tokens} tokens.`, ...left, quote(...messages.map(messageText), ...waits)].join('\n'),
    }
  },
})

function messageText({ role, agentId, content, toolCallId, toolCalls = [] }: Message): string {
  const who = agentId === undefined ? role : `${role} ${oneLine(agentId, 40)}`
  const answers = toolCallId === undefined ? '' : ` (answers ${oneLine(toolCallId, 60)})`
  const calls = toolCalls.map((call) => `  calls ${call.name} ${call.arguments} (${oneLine(call.id, 60)})`)
  return [`${who}${answers}: ${content}`, ...calls].join('\n')
}

export const contextTools = [buildContext]
