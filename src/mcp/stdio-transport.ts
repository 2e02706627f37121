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
import { LineSplitter } from './line-splitter.ts'

/** Milliseconds that an end waits for what is under way. */
const SHUTDOWN_TIMEOUT = 10_000

/** Requests that stay open for as long as the client likes: nobody waits for their end. */
const LONG_LIVED: ReadonlySet<string> = new Set(['subscriptions/listen'])

/**
 * Messages as lines over two streams. Unlike the transport of the SDK it answers what it took before it ends: a client may send, close its end,
 * and read.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: Readable
  readonly #output: Writable
  readonly #before: (message: JSONRPCMessage) => Promise<void> | undefined
  readonly #splitter = new LineSplitter()
  readonly #pending = new Set<JSONRPCRequest['id']>()
  readonly #finished = Promise.withResolvers<void>()
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
  get finished(): Promise<void> {
    return this.#finished.promise
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#receive).on('end', this.end).on('close', this.end).on('error', this.#fail)
    // nobody reads any more: what was asked for is still done
    this.#output.on('error', this.end)
  }

  /** Takes no more requests. */
  readonly end = (): void => {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#input.off('data', this.#receive).pause()
    setTimeout(this.#settle, SHUTDOWN_TIMEOUT).unref()
    this.#settleIfDone()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const isAnswer = isJSONRPCResponse(message)
    try {
      if (this.#output.writable) await this.#write(serializeMessage(message))
    } finally {
      if (isAnswer) this.#complete(message.id)
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.end()
    this.#settle()
    this.onclose?.()
  }

  readonly #receive = (chunk: Buffer): void => {
    try {
      for (const line of this.#splitter.split(chunk)) this.#readLine(line)
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #readLine(line: string): void {
    if (line.trim() === '') return
    const message = parseMessage(line)
    if (message !== undefined) this.#dispatch(message)
    // the next line may be one; what this one holds belongs into no log
    else this.onerror?.(new Error('a line that is no message of JSON-RPC was left out'))
  }

  #dispatch(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && !LONG_LIVED.has(message.method)) this.#pending.add(message.id)
    // what was called off is never answered
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.#complete(message.params?.['requestId'] as JSONRPCRequest['id'])
    }
    const wait = this.#before(message)
    if (wait === undefined) this.onmessage?.(message)
    else void wait.finally(() => this.onmessage?.(message))
  }

  #complete(id: JSONRPCRequest['id'] | undefined): void {
    if (id !== undefined) this.#pending.delete(id)
    this.#settleIfDone()
  }

  #settleIfDone(): void {
    if (this.#isEnding && this.#pending.size === 0) this.#settle()
  }

  readonly #settle = (): void => {
    if (this.#failure === undefined) this.#finished.resolve()
    else this.#finished.reject(this.#failure)
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

function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line)
  } catch {
    return undefined
  }
}
