import type { Readable, Writable } from 'node:stream'
import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Throughline } from '../api.ts'
import { oneLine } from './response-limits.ts'
import { createMcpServer } from './server.ts'
import { StdioTransport } from './stdio-transport.ts'
import { Subscriptions } from './subscriptions.ts'
import { createToolContext } from './tool-context.ts'
import { protocolError } from './tool-error.ts'

export interface StdioOptions {
  readonly input: Readable
  /** Gets only messages of the protocol. */
  readonly output: Writable
  /** Called with unexpected errors. */
  readonly report: (error: unknown) => void
  /** Called with short warnings about input that was ignored. */
  readonly warn: (text: string) => void
  /** Finishes pending requests, then ends. */
  readonly signal: AbortSignal
}

/**
 * Serves one client over two streams, for the user of `tl`. Resolves when the client is gone or the signal aborts and
 * every response is written; rejects then if the input became unreadable.
 */
export async function serveMcpOverStdio(tl: Throughline, userId: string, options: StdioOptions): Promise<void> {
  const { input, output, report, warn, signal } = options
  const context = createToolContext(tl, userId, report)
  let server: McpServer | undefined
  const notify = (uri: string) => void server?.server.sendResourceUpdated({ uri }).catch(report)
  const subscriptions = new Subscriptions(context, notify)
  const transport = new StdioTransport(input, output, subscriptions.handleMessage)
  const serving = serveStdio(
    () => {
      server = createMcpServer(context, { subscribe: true })
      handleSubscriptions(server, subscriptions, report)
      return server
    },
    { transport, onerror: limitWarnings(warn) },
  )
  signal.addEventListener('abort', transport.end, { once: true })
  if (signal.aborted) transport.end()
  try {
    await transport.finished
  } finally {
    subscriptions.close()
    await context.runs.close('The client disconnected')
    await serving.close()
  }
}

const MAX_WARNINGS = 5

/** Shows the first warnings up to their colon: what follows may be the content of a message. */
function limitWarnings(warn: (text: string) => void): (error: Error) => void {
  let count = 0
  return ({ message }) => {
    count++
    if (count <= MAX_WARNINGS) warn(oneLine(message.split(':')[0] ?? ''))
    if (count === MAX_WARNINGS) warn('further warnings of this kind are not shown')
  }
}

/** How clients subscribe up to 2025-11-25. */
function handleSubscriptions(
  { server }: McpServer,
  subscriptions: Subscriptions,
  report: (error: unknown) => void,
): void {
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    try {
      subscriptions.remove(uri)
      await subscriptions.add(uri, uri)
      return {}
    } catch (error) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, protocolError(error, report).message)
    }
  })
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    subscriptions.remove(uri)
    return {}
  })
}
