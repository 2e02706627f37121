import type { Observe } from '../api.ts'
import { SessionEndedError, SessionNotFoundError, type ThroughlineError, TooLargeError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Observation } from '../domain/work.ts'
import { observeOn } from '../features/work/operation.ts'
import { Staging } from '../features/work/staging.ts'
import { uuid7 } from '../ids.ts'
import type { ApiResponse, Connection } from './connection.ts'
import { type Batch, planBatches, unwrittenIn } from './observation-batch.ts'
import { type Call, toJson } from './request.ts'

/** What goes along with a call: observations by session. */
type Batches = Readonly<Record<string, readonly Observation[]>>

/** A session for which something waits or is on its way. */
interface BufferedSession {
  readonly scope: string
  /** Resolves when the call is over that carries what was observed. */
  inFlight?: Promise<void> | undefined
  /** Characters that waited when that call took some of them. */
  size?: number
  /** It takes nothing any more: what waits for it goes with no calls but its own. */
  hasEnded?: boolean
}

/** Observations that wait in this process until a call takes them to the server. */
export class ObservationBuffer {
  readonly #staging = new Staging()
  /** The one that was observed last is the last. */
  readonly #sessions = new Map<string, BufferedSession>()

  /** `scope` is the key of the session's scope. */
  observe(sessionId: string, scope: string): Observe {
    const observe = observeOn({ staging: this.#staging, newId: () => uuid7() }, sessionId)
    const noted = Object.entries(observe).map(([kind, stage]) => [
      kind,
      (input: never) => {
        const session = this.#sessions.get(sessionId) ?? { scope }
        checkCapacity(session)
        stage(input)
        this.#sessions.delete(sessionId)
        this.#sessions.set(sessionId, session)
      },
    ])
    return Object.fromEntries(noted) as Observe
  }

  /** Sends a call with what waits for its session. */
  async sendForSession<T>(connection: Connection, sessionId: string, call: Call, body: object): Promise<T> {
    const ids = () => [sessionId]
    return await this.#send<T>(connection, ids, call, body, (taken) => taken[sessionId])
  }

  /** Sends a call with what waits for the sessions of a scope: the server knows which of them is the live one. */
  async sendForScope<T>(connection: Connection, scope: string, call: Call, body: object): Promise<T> {
    const isMeant = ([, session]: [string, BufferedSession]) => session.scope === scope && session.hasEnded !== true
    const ids = () => Array.from([...this.#sessions].filter(isMeant), ([id]) => id).toReversed()
    return await this.#send<T>(connection, ids, call, body, (taken) => taken)
  }

  async #send<T>(
    connection: Connection,
    ids: () => readonly string[],
    call: Call,
    body: object,
    observationsIn: (taken: Batches) => unknown,
  ): Promise<T> {
    // what an earlier call carries may come back, and then belongs to this one
    for (let ways = this.#inFlight(ids()); ways.length > 0; ways = this.#inFlight(ids())) await Promise.all(ways)
    const loads = planBatches(new Map(ids().map((id) => [id, this.#staging.waiting(id)])))
    const { promise: onWay, resolve } = Promise.withResolvers<void>()
    for (const { id, size: waiting } of loads) this.#update(id, { inFlight: onWay, size: waiting })
    try {
      const answer = await this.#flush(loads, {}, async (taken) => {
        const observations = loads.length === 0 ? undefined : observationsIn(taken)
        return await connection.exchange({ ...call, body: toJson({ ...body, observations }) })
      })
      if (answer.error !== undefined) throw answer.error
      return answer.body as T
    } finally {
      for (const { id } of loads) {
        if (this.#staging.has(id)) this.#update(id, { inFlight: undefined, size: 0 })
        else this.#sessions.delete(id)
      }
      resolve()
    }
  }

  /** The calls that carry something of these sessions. */
  #inFlight(ids: readonly string[]): Promise<void>[] {
    return ids.flatMap((id) => this.#sessions.get(id)?.inFlight ?? [])
  }

  #update(id: string, marks: Partial<BufferedSession>): void {
    const session = this.#sessions.get(id)
    if (session !== undefined) Object.assign(session, marks)
  }

  /** Takes the loads, at once, and keeps what was not written. */
  async #flush(
    loads: readonly Batch[],
    taken: Batches,
    send: (taken: Batches) => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const [load, ...rest] = loads
    if (load === undefined) return await send(taken)
    const { id, count } = load
    return await this.#staging.flush(id, async (staged) => {
      const carried = staged.slice(0, count)
      const answer = await this.#flush(rest, { ...taken, [id]: carried }, send)
      const isGone = isErrorOf(answer, SessionNotFoundError, id)
      if (isGone || isErrorOf(answer, SessionEndedError, id)) this.#update(id, { hasEnded: true })
      return [isGone ? [] : [...unwrittenIn(answer, id, carried), ...staged.slice(count)], answer]
    })
  }
}

/** Throws where so much waits that not all of it could be taken: it may come back, and would become more each time. */
function checkCapacity({ size: waited = 0 }: BufferedSession): void {
  if (waited > LIMITS.staged) throw new TooLargeError({ field: 'observe', limit: LIMITS.staged, actual: waited })
}

/** Whether that is the error, of this session. */
function isErrorOf({ error }: ApiResponse, kind: new (...given: never[]) => ThroughlineError, id: string): boolean {
  return error instanceof kind && (error.details as { sessionId?: string }).sessionId === id
}
