import { type MessageSession, memorySession } from '../../dist/session.js'
import type { Entrant } from '../contender.ts'
import type { Message } from '../load.ts'
import { NOT_SUPPORTED } from '../measure.ts'

/** `memorySession()`: messages in the process and nothing else, like the in-memory peer. It has no windows. */
export function memorySessionEntrant(name: string): Entrant {
  return {
    name,
    async open() {
      const sessions = new Map<string, MessageSession>()

      function session(id: string): MessageSession {
        const found = sessions.get(id)
        if (found === undefined) throw new Error(`there is no session ${id}`)
        return found
      }

      const add = (id: string, { role, content }: Message) => session(id).addMessage({ role, content })

      return {
        name,
        async create() {
          const made = memorySession()
          sessions.set(made.id, made)
          return made.id
        },
        append: async (sessionId, message) => add(sessionId, message),
        recent: () => Promise.reject(new Error(NOT_SUPPORTED)),
        contents: async (sessionId) =>
          session(sessionId)
            .messages()
            .map(({ content }) => content),
        async fill(sessionId, messages) {
          for (const message of messages) add(sessionId, message)
        },
        async close() {
          sessions.clear()
        },
      }
    },
  }
}
