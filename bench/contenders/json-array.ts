import type { Contender, Entrant } from '../contender.ts'
import type { Message } from '../load.ts'

interface Held {
  record: string
  state: string
  log: string[]
}

/** The minimum that keeps events in memory: an array for each session, with one JSON text for each event. */
export function jsonArray(name: string): Entrant {
  return { name, open: async () => contender(name) }
}

function contender(name: string): Contender {
  const sessions = new Map<string, Held>()

  function held(sessionId: string): Held {
    const found = sessions.get(sessionId)
    if (found === undefined) throw new Error(`there is no session ${sessionId}`)
    return found
  }

  function add({ log }: Held, event: object): void {
    log.push(JSON.stringify({ id: crypto.randomUUID(), sequence: log.length + 1, ...event, at: new Date() }))
  }

  return {
    name,
    async create() {
      const id = crypto.randomUUID()
      const session = { record: JSON.stringify({ id, userId: 'bench', startedAt: new Date() }), state: '{}', log: [] }
      sessions.set(id, session)
      add(session, { type: 'session_started', role: 'system', content: '' })
      return id
    },
    append: async (sessionId, message) => add(held(sessionId), message),
    recent: async (sessionId) =>
      held(sessionId)
        .log.slice(-60)
        .map((text) => JSON.parse(text)),
    contents: async (sessionId) =>
      held(sessionId)
        .log.map((text) => JSON.parse(text) as Message | { role: 'system'; content: string })
        .filter(({ role }) => role !== 'system')
        .map(({ content }) => content),
    async fill(sessionId, messages) {
      for (const message of messages) add(held(sessionId), message)
    },
    record: async (sessionId) => JSON.parse(held(sessionId).record),
    state: async (sessionId) => JSON.parse(held(sessionId).state),
    async update(sessionId, value) {
      const session = held(sessionId)
      const patch = { counter: value }
      session.state = JSON.stringify({ ...JSON.parse(session.state), ...patch })
      add(session, { type: 'state_changed', role: 'system', content: '', parts: patch })
    },
    async close() {
      sessions.clear()
    },
  }
}
