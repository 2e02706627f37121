import type { Observe } from '../api.ts'
import { SessionEndedError, SessionNotFoundError, type ThroughlineError, TooLargeError } from '../domain/errors.ts'
import type { Observation } from '../domain/graph.ts'
import { LIMITS } from '../domain/limits.ts'
import { observeOn } from '../features/work/operation.ts'
import { Staging } from '../features/work/staging.ts'
import { uuid7 } from '../ids.ts'
import { type ApiResponse, bodyOf, type Connection } from './connection.ts'
import { type Batch, planBatches, unwrittenIn } from './observation-batch.ts'
import { type Call, toJson } from './request.ts'

/** Observations in a request, by session. */
type SentObservations = Readonly<Record<string, readonly Observation[]>>

/** A session with observations that are buffered or in flight. */
interface BufferedSession {
  readonly scope: string
  /** Resolves when the call that carries its observations is over. */
  inFlight?: Promise<void> | undefined
  /** Characters that were buffered when that call took some of them. */
  size?: number
  /** The session accepts nothing more, so only its own calls carry its observations. */
  hasEnded?: boolean
}

/** Keeps observations in this process until a call carries them to the server. */
export class ObservationBuffer {
  readonly #staging = new Staging()
  /** The session observed last is last. */
  readonly #sessions = new Map<string, BufferedSession>()

  /** `scope` is the key of the session's scope. */
  observe(sessionId: string, scope: string): Observe {
    const observe = observeOn({ staging: this.#staging, newId: () => uuid7() }, sessionId)
    const buffered = Object.entries(observe).map(([kind, stage]) => [
      kind,
      (input: never) => {
        const session = this.#sessions.get(sessionId) ?? { scope }
        checkCapacity(session)
        stage(input)
        this.#sessions.delete(sessionId)
        this.#sessions.set(sessionId, session)
      },
    ])
    return Object.fromEntries(buffered) as Observe
  }

  /** Sends a call with the observations of its session. */
  async sendForSession<T>(connection: Connection, sessionId: string, call: Call, body: object): Promise<T> {
    return await this.#send<T>(
      connection,
      () => [sessionId],
      call,
      body,
      (sent) => sent[sessionId],
    )
  }

  /** Sends a call with the observations of every session in a scope: the server knows which of them is live. */
  async sendForScope<T>(connection: Connection, scope: string, call: Call, body: object): Promise<T> {
    const isLive = ([, session]: [string, BufferedSession]) => session.scope === scope && session.hasEnded !== true
    const ids = () => Array.from([...this.#sessions].filter(isLive), ([id]) => id).toReversed()
    return await this.#send<T>(connection, ids, call, body, (sent) => sent)
  }

  async #send<T>(
    connection: Connection,
    ids: () => readonly string[],
    call: Call,
    body: object,
    observationsIn: (sent: SentObservations) => unknown,
  ): Promise<T> {
    // observations that an earlier call fails to write come back and belong to this one
    for (let calls = this.#inFlight(ids()); calls.length > 0; calls = this.#inFlight(ids())) await Promise.all(calls)
    const batches = planBatches(new Map(ids().map((id) => [id, this.#staging.waiting(id)])))
    const { promise: inFlight, resolve } = Promise.withResolvers<void>()
    for (const { id, size } of batches) this.#update(id, { inFlight, size })
    try {
      const response = await this.#flush(batches, {}, async (sent) => {
        const observations = batches.length === 0 ? undefined : observationsIn(sent)
        return await connection.exchange({ ...call, body: toJson({ ...body, observations }) })
      })
      return bodyOf<T>(response)
    } finally {
      for (const { id } of batches) {
        if (this.#staging.has(id)) this.#update(id, { inFlight: undefined, size: 0 })
        else this.#sessions.delete(id)
      }
      resolve()
    }
  }

  /** The calls that carry observations of these sessions. */
  #inFlight(ids: readonly string[]): Promise<void>[] {
    return ids.flatMap((id) => this.#sessions.get(id)?.inFlight ?? [])
  }

  #update(id: string, changes: Partial<BufferedSession>): void {
    const session = this.#sessions.get(id)
    if (session !== undefined) Object.assign(session, changes)
  }

  /** Takes all batches before it sends, and puts back what the server did not write. */
  async #flush(
    batches: readonly Batch[],
    sent: SentObservations,
    send: (sent: SentObservations) => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const [batch, ...rest] = batches
    if (batch === undefined) return await send(sent)
    const { id, count } = batch
    return await this.#staging.flush(id, async (staged) => {
      const own = staged.slice(0, count)
      const response = await this.#flush(rest, { ...sent, [id]: own }, send)
      const isGone = isErrorOf(response, SessionNotFoundError, id)
      if (isGone || isErrorOf(response, SessionEndedError, id)) this.#update(id, { hasEnded: true })
      return [isGone ? [] : [...unwrittenIn(response, id, own), ...staged.slice(count)], response]
    })
  }
}

/** Throws if one call could not take everything: the rest comes back, and the buffer would grow with each call. */
function checkCapacity({ size = 0 }: BufferedSession): void {
  if (size > LIMITS.staged) throw new TooLargeError({ field: 'observe', limit: LIMITS.staged, actual: size })
}

/** Whether the response is an error of this class about this session. */
function isErrorOf({ error }: ApiResponse, kind: new (...args: never[]) => ThroughlineError, id: string): boolean {
  return error instanceof kind && (error.details as { sessionId?: string }).sessionId === id
}
