import type { AgentInputItem, MemorySession } from '@openai/agents-core'
import type { Entrant } from '../contender.ts'
import type { Message } from '../load.ts'

const NAME = 'OpenAI MemorySession'

function item({ role, content }: Message): AgentInputItem {
  return role === 'user'
    ? { type: 'message', role, content: [{ type: 'input_text', text: content }] }
    : { type: 'message', role, status: 'completed', content: [{ type: 'output_text', text: content }] }
}

function text(kept: AgentInputItem): string {
  if (!('content' in kept) || !Array.isArray(kept.content)) return ''
  return kept.content.map((part) => ('text' in part ? part.text : '')).join('')
}

export const openaiMemory: Entrant = {
  name: NAME,
  async open() {
    const { MemorySession } = await import('@openai/agents-core')
    const sessions = new Map<string, MemorySession>()

    function session(id: string): MemorySession {
      const found = sessions.get(id)
      if (found === undefined) throw new Error(`There is no session ${id}.`)
      return found
    }

    return {
      name: NAME,
      caveat: 'Every append copies the list of items',
      async create() {
        const made = new MemorySession()
        const id = await made.getSessionId()
        sessions.set(id, made)
        return id
      },
      append: (sessionId, message) => session(sessionId).addItems([item(message)]),
      recent: (sessionId) => session(sessionId).getItems(60),
      contents: async (sessionId) => (await session(sessionId).getItems()).map(text),
      fill: (sessionId, messages) => session(sessionId).addItems(messages.map(item)),
      async close() {
        sessions.clear()
      },
    }
  },
}
