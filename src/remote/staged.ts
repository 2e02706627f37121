import type { Observe } from '../api.ts'
import type { Observation } from '../domain/work.ts'
import { Staging } from '../features/staging.ts'
import { observeOn } from '../features/work/operation.ts'
import { uuid7 } from '../ids.ts'
import type { Answer, Connection } from './connection.ts'
import { type Call, jsonOf } from './request.ts'

/** What goes along with a call: observations by session. */
type Taken = Readonly<Record<string, readonly Observation[]>>

/** Observations that wait in this process until a call takes them to the server. */
export class Staged {
  readonly #staging = new Staging()
  /** Conversations of the sessions for which something waits. */
  readonly #conversations = new Map<string, string>()

  observe(sessionId: string, conversationId: string): Observe {
    const observe = observeOn({ staging: this.#staging, newId: () => uuid7() }, sessionId)
    const noted = Object.entries(observe).map(([kind, stage]) => [
      kind,
      (input: never) => {
        stage(input)
        this.#conversations.set(sessionId, conversationId)
      },
    ])
    return Object.fromEntries(noted) as Observe
  }

  /** Sends a call with what waits for its session. */
  async send<T>(connection: Connection, sessionId: string, call: Call, body: object): Promise<T> {
    return await this.#sent<T>(connection, [sessionId], call, body, (taken) => taken[sessionId])
  }

  /** Sends a call with what waits for the sessions of its conversation: the server knows which of them is the live one. */
  async sendAll<T>(connection: Connection, conversationId: string, call: Call, body: object): Promise<T> {
    const sessions = [...this.#conversations].filter(([, conversation]) => conversation === conversationId)
    const ids = sessions.map(([id]) => id)
    return await this.#sent<T>(connection, ids, call, body, (taken) => taken)
  }

  async #sent<T>(
    connection: Connection,
    ids: readonly string[],
    call: Call,
    body: object,
    observationsIn: (taken: Taken) => unknown,
  ): Promise<T> {
    const waiting = ids.filter((id) => this.#staging.has(id))
    try {
      const answer = await this.#flush(waiting, {}, async (taken) => {
        const observations = waiting.length === 0 ? undefined : observationsIn(taken)
        return await connection.exchange({ ...call, body: jsonOf({ ...body, observations }) })
      })
      if (answer.error !== undefined) throw answer.error
      return answer.body as T
    } finally {
      for (const id of waiting) if (!this.#staging.has(id)) this.#conversations.delete(id)
    }
  }

  /** Takes what waits for each of the sessions, at once, and keeps what was not written. */
  async #flush(ids: readonly string[], taken: Taken, send: (taken: Taken) => Promise<Answer>): Promise<Answer> {
    const [id, ...rest] = ids
    if (id === undefined) return await send(taken)
    return await this.#staging.flush(id, async (staged) => {
      const answer = await this.#flush(rest, { ...taken, [id]: staged }, send)
      return [unwritten(answer, id, staged), answer]
    })
  }
}

/** What did not get into the log. An error that does not say comes from before the work began. */
function unwritten(answer: Answer, id: string, staged: readonly Observation[]): readonly Observation[] {
  if (answer.unwritten === null) return answer.error === undefined ? [] : staged
  const left = (JSON.parse(answer.unwritten) as Record<string, number[]>)[id] ?? []
  return staged.filter((_, i) => left.includes(i))
}
