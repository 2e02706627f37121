import { type OpenOptions, open, type Session } from '../../dist/index.js'
import type { Contender, Entrant } from '../contender.ts'

const PAGE = 500
const SPOKEN = ['user_message', 'model_message'] as const

/**
 * Throughline through its public API, as an application uses it. The term index is off: it is updated in idle
 * moments, which are the turns of the other contenders. The part `indexed` measures its cost.
 */
export function throughline(name: string, urlOf: (target: string) => string, options: OpenOptions = {}): Entrant {
  return {
    name,
    open: async (target) => await contender(name, { index: false, ...options, url: urlOf(target) }),
  }
}

async function contender(name: string, options: OpenOptions): Promise<Contender> {
  const tl = await open(options)
  const sessions = new Map<string, Session>()

  /** The handle of a session that another process may have created. */
  async function found(id: string): Promise<Session> {
    const session = await tl.sessions.get(id)
    sessions.set(id, session)
    return session
  }

  return {
    name,
    async create() {
      const session = await tl.sessions.create({ userId: 'bench' })
      sessions.set(session.id, session)
      return session.id
    },
    async append(id, message) {
      await (sessions.get(id) ?? (await found(id))).append(message)
    },
    recent: async (id) => (await (sessions.get(id) ?? (await found(id))).recent()).events,
    async contents(id) {
      const session = await found(id)
      const contents: string[] = []
      for (let after = 0; ; ) {
        const events = await session.events({ after, limit: PAGE, types: SPOKEN })
        for (const { content } of events) contents.push(content)
        const last = events.at(-1)
        if (last === undefined) return contents
        after = last.sequence
      }
    },
    async fill(id, messages) {
      await (sessions.get(id) ?? (await found(id))).append(messages)
    },
    record: async (id) => await (sessions.get(id) ?? (await found(id))).record(),
    state: async (id) => await (sessions.get(id) ?? (await found(id))).state(),
    async update(id, value) {
      await (sessions.get(id) ?? (await found(id))).updateState({ counter: value })
    },
    list: async () => (await tl.sessions.list({ userId: 'bench', limit: 50 })).items,
    everyone: async () => (await tl.sessions.list({ limit: 50 })).items,
    close: () => tl.close(),
  }
}
