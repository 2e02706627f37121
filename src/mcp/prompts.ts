import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { defined } from '../domain/optional.ts'
import { name } from '../features/kernel/parse.ts'
import { clientSchema } from './client-schema.ts'
import { quote } from './quote.ts'
import { resumeSummary } from './session-summary.ts'
import type { ToolContext } from './tool-context.ts'
import { protocolError } from './tool-error.ts'
import { eventText, sessionText } from './views.ts'

/** The only prompt. */
export const RESUME = {
  name: 'resume',
  title: 'Resume earlier work',
  description: 'Continue a conversation where it stopped: the named one, or the most recent one.',
} as const

export function registerPrompts(server: McpServer, context: ToolContext): void {
  const { name: promptName, ...about } = RESUME
  const argsSchema = z.object({
    conversation: z.optional(name()).describe('Conversation id. Default: the most recent one.'),
  })
  server.registerPrompt(promptName, { ...about, argsSchema: clientSchema(argsSchema) }, async ({ conversation }) => {
    try {
      const text = await resumeText(context, conversation)
      return { messages: [{ role: 'user', content: { type: 'text', text } }] }
    } catch (error) {
      throw protocolError(error, context.report)
    }
  })
}

async function resumeText(context: ToolContext, conversationId: string | undefined): Promise<string> {
  const { plan, say, summary } = await resumeSummary(context, defined({ conversationId }))
  if (summary === undefined) return 'There is no earlier work to resume. Ask me what to do, then call start_session.'
  const { session, recent } = summary
  return [
    `Continue session ${session.id}. First tell me where it stands. Record messages with say and decisions with note.`,
    quote(`plan: ${plan}`, sessionText(session), say, ...recent.map(eventText)),
  ].join('\n')
}
