import type { Observe } from '../api.ts'
import { SessionEndedError, SessionNotFoundError, type ThroughlineError, TooLargeError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Observation } from '../domain/work.ts'
import { observeOn } from '../features/work/operation.ts'
import { Staging } from '../features/work/staging.ts'
import { uuid7 } from '../ids.ts'
import type { Answer, Connection } from './connection.ts'
import { type Load, loadsOf, unwritten } from './observation-batch.ts'
import { type Call, jsonOf } from './request.ts'

/** What goes along with a call: observations by session. */
type Taken = Readonly<Record<string, readonly Observation[]>>

/** A session for which something waits or is on its way. */
interface Observed {
  readonly scope: string
  /** Resolves when the call is over that carries what was observed. */
  onWay?: Promise<void> | undefined
  /** Characters that waited when that call took some of them. */
  waited?: number
  /** It takes nothing any more: what waits for it goes with no calls but its own. */
  isOver?: boolean
}

/** Observations that wait in this process until a call takes them to the server. */
export class Staged {
  readonly #staging = new Staging()
  /** The one that was observed last is the last. */
  readonly #sessions = new Map<string, Observed>()

  /** `scope` is the key of the session's scope. */
  observe(sessionId: string, scope: string): Observe {
    const observe = observeOn({ staging: this.#staging, newId: () => uuid7() }, sessionId)
    const noted = Object.entries(observe).map(([kind, stage]) => [
      kind,
      (input: never) => {
        const session = this.#sessions.get(sessionId) ?? { scope }
        checkRoom(session)
        stage(input)
        this.#sessions.delete(sessionId)
        this.#sessions.set(sessionId, session)
      },
    ])
    return Object.fromEntries(noted) as Observe
  }

  /** Sends a call with what waits for its session. */
  async send<T>(connection: Connection, sessionId: string, call: Call, body: object): Promise<T> {
    const ids = () => [sessionId]
    return await this.#sent<T>(connection, ids, call, body, (taken) => taken[sessionId])
  }

  /** Sends a call with what waits for the sessions of a scope: the server knows which of them is the live one. */
  async sendAll<T>(connection: Connection, scope: string, call: Call, body: object): Promise<T> {
    const isMeant = ([, session]: [string, Observed]) => session.scope === scope && session.isOver !== true
    const ids = () => Array.from([...this.#sessions].filter(isMeant), ([id]) => id).toReversed()
    return await this.#sent<T>(connection, ids, call, body, (taken) => taken)
  }

  async #sent<T>(
    connection: Connection,
    ids: () => readonly string[],
    call: Call,
    body: object,
    observationsIn: (taken: Taken) => unknown,
  ): Promise<T> {
    // what an earlier call carries may come back, and then belongs to this one
    for (let ways = this.#ways(ids()); ways.length > 0; ways = this.#ways(ids())) await Promise.all(ways)
    const loads = loadsOf(new Map(ids().map((id) => [id, this.#staging.waiting(id)])))
    const { promise: onWay, resolve } = Promise.withResolvers<void>()
    for (const { id, waiting } of loads) this.#mark(id, { onWay, waited: waiting })
    try {
      const answer = await this.#flush(loads, {}, async (taken) => {
        const observations = loads.length === 0 ? undefined : observationsIn(taken)
        return await connection.exchange({ ...call, body: jsonOf({ ...body, observations }) })
      })
      if (answer.error !== undefined) throw answer.error
      return answer.body as T
    } finally {
      for (const { id } of loads) {
        if (this.#staging.has(id)) this.#mark(id, { onWay: undefined, waited: 0 })
        else this.#sessions.delete(id)
      }
      resolve()
    }
  }

  /** The calls that carry something of these sessions. */
  #ways(ids: readonly string[]): Promise<void>[] {
    return ids.flatMap((id) => this.#sessions.get(id)?.onWay ?? [])
  }

  #mark(id: string, marks: Partial<Observed>): void {
    const session = this.#sessions.get(id)
    if (session !== undefined) Object.assign(session, marks)
  }

  /** Takes the loads, at once, and keeps what was not written. */
  async #flush(loads: readonly Load[], taken: Taken, send: (taken: Taken) => Promise<Answer>): Promise<Answer> {
    const [load, ...rest] = loads
    if (load === undefined) return await send(taken)
    const { id, count } = load
    return await this.#staging.flush(id, async (staged) => {
      const carried = staged.slice(0, count)
      const answer = await this.#flush(rest, { ...taken, [id]: carried }, send)
      const isGone = says(answer, SessionNotFoundError, id)
      if (isGone || says(answer, SessionEndedError, id)) this.#mark(id, { isOver: true })
      return [isGone ? [] : [...unwritten(answer, id, carried), ...staged.slice(count)], answer]
    })
  }
}

/** Throws where so much waits that not all of it could be taken: it may come back, and would become more each time. */
function checkRoom({ waited = 0 }: Observed): void {
  if (waited > LIMITS.staged) throw new TooLargeError({ field: 'observe', limit: LIMITS.staged, actual: waited })
}

/** Whether that is the error, of this session. */
function says({ error }: Answer, kind: new (...given: never[]) => ThroughlineError, id: string): boolean {
  return error instanceof kind && (error.details as { sessionId?: string }).sessionId === id
}
