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

/** Milliseconds to wait for pending requests at the end. */
const SHUTDOWN_TIMEOUT = 10_000

/** Requests that stay open as long as the client likes; the end does not wait for them. */
const LONG_LIVED: ReadonlySet<string> = new Set(['subscriptions/listen'])

/**
 * Messages as lines over two streams. Unlike the transport of the SDK it responds to every request it has read before
 * it ends, so a client may send, close its end, and then read.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: Readable
  readonly #output: Writable
  readonly #intercept: (message: JSONRPCMessage) => Promise<void> | undefined
  readonly #splitter = new LineSplitter()
  readonly #pending = new Set<JSONRPCRequest['id']>()
  readonly #finished = Promise.withResolvers<void>()
  #failure: Error | undefined
  #isEnding = false
  #isClosed = false

  /** @param intercept sees each message first and may return a promise to delay it */
  constructor(input: Readable, output: Writable, intercept: (message: JSONRPCMessage) => Promise<void> | undefined) {
    this.#input = input
    this.#output = output
    this.#intercept = intercept
  }

  /** Resolves when the input has ended and every request has its response; rejects if the input became unreadable. */
  get finished(): Promise<void> {
    return this.#finished.promise
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#receive).on('end', this.end).on('close', this.end).on('error', this.#fail)
    // the client is gone, but its requests still run
    this.#output.on('error', this.end)
  }

  /** Accepts no more requests. */
  readonly end = (): void => {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#input.off('data', this.#receive).pause()
    setTimeout(this.#settle, SHUTDOWN_TIMEOUT).unref()
    this.#settleIfDone()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const isResponse = isJSONRPCResponse(message)
    try {
      if (this.#output.writable) await this.#write(serializeMessage(message))
    } finally {
      if (isResponse) this.#complete(message.id)
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
    // goes on with the next line; the content of this one must not reach a log
    else this.onerror?.(new Error('ignored a line that is not a JSON-RPC message'))
  }

  #dispatch(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && !LONG_LIVED.has(message.method)) this.#pending.add(message.id)
    // a cancelled request gets no response
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.#complete(message.params?.['requestId'] as JSONRPCRequest['id'])
    }
    const delay = this.#intercept(message)
    if (delay === undefined) this.onmessage?.(message)
    else void delay.finally(() => this.onmessage?.(message))
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
      // the error event handles failures
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
