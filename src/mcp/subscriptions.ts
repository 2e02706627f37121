import { isJSONRPCNotification, isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { ValidationError } from '../domain/errors.ts'
import { SESSIONS_URI } from './resources.ts'
import type { ToolContext } from './tool-context.ts'

/** Subscriptions of one client. */
const MAX_SUBSCRIPTIONS = 100
/** Milliseconds between two notifications about the same resource. */
const MIN_INTERVAL = 100

interface Subscription {
  readonly uri: string
  readonly stop: AbortController
}

/** Follows the sessions a client has subscribed to, whichever process changes them. */
export class Subscriptions {
  readonly #context: ToolContext
  readonly #notify: (uri: string) => void
  readonly #byKey = new Map<string, Subscription[]>()

  constructor(context: ToolContext, notify: (uri: string) => void) {
    this.#context = context
    this.#notify = notify
  }

  /** Follows a resource until `remove` is called with the key. Once it resolves, every change is notified. */
  async add(key: string, uri: string): Promise<void> {
    const own = this.#byKey.get(key) ?? []
    const count = [...this.#byKey.values()].reduce((sum, list) => sum + list.length, 0)
    if (count >= MAX_SUBSCRIPTIONS)
      throw new ValidationError('uri', `is one subscription too many (limit ${MAX_SUBSCRIPTIONS}); end another first`)
    const session = await this.#context.tl.sessions.get(parseSessionUri(uri))
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

  /** Since 2026-07-28 a request that stays open lists the resources; the SDK itself responds to it. */
  readonly handleMessage = (message: JSONRPCMessage): Promise<void> | undefined => {
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.remove(`listen ${String(message.params?.['requestId'])}`)
    }
    if (!isJSONRPCRequest(message) || message.method !== 'subscriptions/listen') return undefined
    const { notifications } = (message.params ?? {}) as { notifications?: { resourceSubscriptions?: unknown } }
    const uris = [notifications?.resourceSubscriptions ?? []].flat()
    // a URI that is not a session of the user is never notified
    return Promise.all(uris.map((uri) => this.add(`listen ${message.id}`, String(uri)).catch(() => {}))).then(() => {})
  }

  async #follow(uri: string, events: AsyncIterable<unknown>, signal: AbortSignal): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    let hasChanged = false
    const notify = () => {
      if (signal.aborted) return
      hasChanged = false
      this.#notify(uri)
      timer = setTimeout(() => {
        timer = undefined
        if (hasChanged) notify()
      }, MIN_INTERVAL)
    }
    try {
      for await (const _event of events) {
        if (timer === undefined) notify()
        else hasChanged = true
      }
    } catch (error) {
      this.#context.report(error)
    }
  }
}

/** The session id in a URI. */
function parseSessionUri(uri: string): string {
  const [, id] = new RegExp(`^${SESSIONS_URI}/([^/]+)(?:/(?:events|scratchpad|commits))?$`).exec(uri) ?? []
  if (id !== undefined) return id
  throw new ValidationError('uri', `must be a session resource such as ${SESSIONS_URI}/ID or ${SESSIONS_URI}/ID/events`)
}
