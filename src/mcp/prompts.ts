import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { name } from '../features/kernel/parse.ts'
import { clientSchema } from './client-schema.ts'
import { quote } from './quote.ts'
import { resumeSummary } from './session-summary.ts'
import { given, type ToolContext } from './tool-context.ts'
import { toClientError } from './tool-error.ts'
import { eventText, sessionText } from './views.ts'

/** The one prompt there is. */
export const RESUME = {
  name: 'resume',
  title: 'Resume earlier work',
  description: 'Goes on with a conversation where it was left, or with the last one.',
} as const

/** Puts it on a server. */
export function registerPrompts(server: McpServer, desk: ToolContext): void {
  const { name: called, ...about } = RESUME
  const argsSchema = z.object({
    conversation: z.optional(name()).describe('Id of the conversation; the last one if absent.'),
  })
  server.registerPrompt(called, { ...about, argsSchema: clientSchema(argsSchema) }, async ({ conversation }) => {
    try {
      const text = await resumeText(desk, conversation)
      return { messages: [{ role: 'user', content: { type: 'text', text } }] }
    } catch (error) {
      const told = toClientError(error)
      if (told.isUnexpected) desk.report(error)
      throw new Error(`${told.code}: ${told.message}`)
    }
  })
}

async function resumeText(desk: ToolContext, conversationId: string | undefined): Promise<string> {
  const { plan, say, summary: standing } = await resumeSummary(desk, given({ conversationId }))
  if (standing === undefined)
    return 'There is no earlier work that waits. Ask me what to do, and begin with start_session.'
  const { session, recent } = standing
  return [
    `Go on with the session ${session.id}: keep what we say with say, and what is settled with note. Tell me first where it stands.`,
    quote(`plan: ${plan}`, sessionText(session), say, ...recent.map(eventText)),
  ].join('\n')
}
