import type { Readable, Writable } from 'node:stream'
import {
  deserializeMessage,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { Lines } from './lines.ts'

/** Milliseconds that an end waits for what is under way. */
const PATIENCE = 10_000

/** Requests that stay open for as long as the client likes: nobody waits for their end. */
const STANDING: ReadonlySet<string> = new Set(['subscriptions/listen'])

/**
 * Messages as lines over two streams. Unlike the transport of the SDK it answers what it took before it ends: a client may send, close its end,
 * and read.
 */
export class StdioLine implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: Readable
  readonly #output: Writable
  readonly #before: (message: JSONRPCMessage) => Promise<void> | undefined
  readonly #lines = new Lines()
  readonly #open = new Set<JSONRPCRequest['id']>()
  readonly #settled = Promise.withResolvers<void>()
  #failure: Error | undefined
  #isEnding = false
  #isClosed = false

  /** @param before sees each message first; one that it wants time for waits */
  constructor(input: Readable, output: Writable, before: (message: JSONRPCMessage) => Promise<void> | undefined) {
    this.#input = input
    this.#output = output
    this.#before = before
  }

  /** Resolves when nothing more comes in, and what came in is answered; rejects if that was because of something that cannot be read. */
  get over(): Promise<void> {
    return this.#settled.promise
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#take).on('end', this.end).on('close', this.end).on('error', this.#fail)
    // nobody reads any more: what was asked for is still done
    this.#output.on('error', this.end)
  }

  /** Takes no more requests. */
  readonly end = (): void => {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#input.off('data', this.#take).pause()
    setTimeout(this.#settle, PATIENCE).unref()
    this.#look()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const isAnswer = isJSONRPCResponse(message)
    try {
      if (this.#output.writable) await this.#write(serializeMessage(message))
    } finally {
      if (isAnswer) this.#answered(message.id)
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.end()
    this.#settle()
    this.onclose?.()
  }

  readonly #take = (chunk: Buffer): void => {
    try {
      for (const line of this.#lines.take(chunk)) this.#read(line)
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #read(line: string): void {
    if (line.trim() === '') return
    const message = messageIn(line)
    if (message !== undefined) this.#came(message)
    // the next line may be one; what this one holds belongs into no log
    else this.onerror?.(new Error('a line that is no message of JSON-RPC was left out'))
  }

  #came(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && !STANDING.has(message.method)) this.#open.add(message.id)
    // what was called off is never answered
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.#answered(message.params?.['requestId'] as JSONRPCRequest['id'])
    }
    const wait = this.#before(message)
    if (wait === undefined) this.onmessage?.(message)
    else void wait.finally(() => this.onmessage?.(message))
  }

  #answered(id: JSONRPCRequest['id'] | undefined): void {
    if (id !== undefined) this.#open.delete(id)
    this.#look()
  }

  #look(): void {
    if (this.#isEnding && this.#open.size === 0) this.#settle()
  }

  readonly #settle = (): void => {
    if (this.#failure === undefined) this.#settled.resolve()
    else this.#settled.reject(this.#failure)
  }

  async #write(text: string): Promise<void> {
    await new Promise<void>((resolve) => {
      // an error comes as an event too, and ends the line there
      this.#output.write(text, () => resolve())
    })
  }

  readonly #fail = (error: Error): void => {
    this.#failure ??= error
    this.end()
  }
}

function messageIn(line: string): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line)
  } catch {
    return undefined
  }
}
