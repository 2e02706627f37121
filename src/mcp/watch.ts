import { isJSONRPCNotification, isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { ValidationError } from '../domain/errors.ts'
import { ROOT } from './resources.ts'
import { type Desk, sessionOf } from './tool-context.ts'

/** Resources that one client may watch. */
const MOST = 100
/** Milliseconds between two words on the same resource. */
const REST = 100

interface Watched {
  readonly uri: string
  readonly stop: AbortController
}

/** Follows the sessions that a client has subscribed to, by whatever process they change. */
export class Watch {
  readonly #desk: Desk
  readonly #changed: (uri: string) => void
  readonly #watched = new Map<string, Watched[]>()

  constructor(desk: Desk, changed: (uri: string) => void) {
    this.#desk = desk
    this.#changed = changed
  }

  /** Watches a resource of a session until `remove` of the same key. Resolves when every later change will be told. */
  async add(key: string, uri: string): Promise<void> {
    const own = this.#watched.get(key) ?? []
    const count = [...this.#watched.values()].reduce((sum, list) => sum + list.length, 0)
    if (count >= MOST) throw new ValidationError('uri', `is one too many: ${MOST} can be watched at once`)
    const session = await sessionOf(this.#desk, sessionIdIn(uri))
    const { head } = await session.record()
    const stop = new AbortController()
    this.#watched.set(key, [...own, { uri, stop }])
    void this.#follow(uri, session.tail({ after: head, signal: stop.signal }), stop.signal)
  }

  remove(key: string): void {
    for (const { stop } of this.#watched.get(key) ?? []) stop.abort()
    this.#watched.delete(key)
  }

  end(): void {
    for (const key of [...this.#watched.keys()]) this.remove(key)
  }

  /** Since 2026-07-28 a request that stays open says what to watch, and the SDK answers it by itself. */
  readonly listen = (message: JSONRPCMessage): Promise<void> | undefined => {
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.remove(`listen ${String(message.params?.['requestId'])}`)
    }
    if (!isJSONRPCRequest(message) || message.method !== 'subscriptions/listen') return undefined
    const { notifications } = (message.params ?? {}) as { notifications?: { resourceSubscriptions?: unknown } }
    const uris = [notifications?.resourceSubscriptions ?? []].flat()
    // what is no session of theirs is never told of
    return Promise.all(uris.map((uri) => this.add(`listen ${message.id}`, String(uri)).catch(() => {}))).then(() => {})
  }

  async #follow(uri: string, events: AsyncIterable<unknown>, signal: AbortSignal): Promise<void> {
    let rest: NodeJS.Timeout | undefined
    let isBehind = false
    const tell = () => {
      if (signal.aborted) return
      isBehind = false
      this.#changed(uri)
      rest = setTimeout(() => {
        rest = undefined
        if (isBehind) tell()
      }, REST)
    }
    try {
      for await (const _event of events) {
        if (rest === undefined) tell()
        else isBehind = true
      }
    } catch (error) {
      this.#desk.report(error)
    }
  }
}

function sessionIdIn(uri: string): string {
  const [, id] = new RegExp(`^${ROOT}/([^/]+)(?:/(?:events|scratchpad|commits))?$`).exec(uri) ?? []
  if (id !== undefined) return id
  throw new ValidationError('uri', `must be one of a session, such as ${ROOT}/ID or ${ROOT}/ID/events`)
}
