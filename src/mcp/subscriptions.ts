import { isJSONRPCNotification, isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { ValidationError } from '../domain/errors.ts'
import { SESSIONS_URI } from './resources.ts'
import { sessionOf, type ToolContext } from './tool-context.ts'

/** Resources that one client may watch. */
const MAX_SUBSCRIPTIONS = 100
/** Milliseconds between two words on the same resource. */
const MIN_INTERVAL = 100

interface Subscription {
  readonly uri: string
  readonly stop: AbortController
}

/** Follows the sessions that a client has subscribed to, by whatever process they change. */
export class Subscriptions {
  readonly #context: ToolContext
  readonly #notify: (uri: string) => void
  readonly #byKey = new Map<string, Subscription[]>()

  constructor(desk: ToolContext, changed: (uri: string) => void) {
    this.#context = desk
    this.#notify = changed
  }

  /** Watches a resource of a session until `remove` of the same key. Resolves when every later change will be told. */
  async add(key: string, uri: string): Promise<void> {
    const own = this.#byKey.get(key) ?? []
    const count = [...this.#byKey.values()].reduce((sum, list) => sum + list.length, 0)
    if (count >= MAX_SUBSCRIPTIONS)
      throw new ValidationError('uri', `is one too many: ${MAX_SUBSCRIPTIONS} can be watched at once`)
    const session = await sessionOf(this.#context, parseSessionUri(uri))
    const { head } = await session.record()
    const stop = new AbortController()
    this.#byKey.set(key, [...own, { uri, stop }])
    void this.#follow(uri, session.tail({ after: head, signal: stop.signal }), stop.signal)
  }

  remove(key: string): void {
    for (const { stop } of this.#byKey.get(key) ?? []) stop.abort()
    this.#byKey.delete(key)
  }

  close(): void {
    for (const key of [...this.#byKey.keys()]) this.remove(key)
  }

  /** Since 2026-07-28 a request that stays open says what to watch, and the SDK answers it by itself. */
  readonly handleMessage = (message: JSONRPCMessage): Promise<void> | undefined => {
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
      this.#notify(uri)
      rest = setTimeout(() => {
        rest = undefined
        if (isBehind) tell()
      }, MIN_INTERVAL)
    }
    try {
      for await (const _event of events) {
        if (rest === undefined) tell()
        else isBehind = true
      }
    } catch (error) {
      this.#context.report(error)
    }
  }
}

function parseSessionUri(uri: string): string {
  const [, id] = new RegExp(`^${SESSIONS_URI}/([^/]+)(?:/(?:events|scratchpad|commits))?$`).exec(uri) ?? []
  if (id !== undefined) return id
  throw new ValidationError('uri', `must be one of a session, such as ${SESSIONS_URI}/ID or ${SESSIONS_URI}/ID/events`)
}
