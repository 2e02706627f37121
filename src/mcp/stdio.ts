import type { Readable, Writable } from 'node:stream'
import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Throughline } from '../api.ts'
import { oneLine } from './response-limits.ts'
import { createMcpServer } from './server.ts'
import { StdioTransport } from './stdio-transport.ts'
import { Subscriptions } from './subscriptions.ts'
import { createToolContext } from './tool-context.ts'
import { toClientError } from './tool-error.ts'

/** Where messages come from and go to, and when to stop. */
export interface StdioOptions {
  readonly input: Readable
  /** Gets messages of the protocol, and nothing else. */
  readonly output: Writable
  /** Told of errors that nobody foresaw. */
  readonly report: (error: unknown) => void
  /** Gets a few words on lines that are no messages, and on messages that nobody waits for. */
  readonly warn: (text: string) => void
  /** Finishes what was asked for, and ends. */
  readonly signal: AbortSignal
}

/**
 * Serves one client over two streams, for the user of `tl`. Resolves when the client has gone, or it was told to stop, and all is written. Rejects
 * in the same way where what comes in cannot be read any further.
 */
export async function serveMcpOverStdio(tl: Throughline, userId: string, options: StdioOptions): Promise<void> {
  const { input, output, report, warn: say, signal } = options
  const desk = createToolContext(tl, userId, report)
  let server: McpServer | undefined
  const watch = new Subscriptions(desk, (uri) => void server?.server.sendResourceUpdated({ uri }).catch(report))
  const lines = new StdioTransport(input, output, watch.handleMessage)
  const serving = serveStdio(
    () => {
      server = createMcpServer(desk, { subscribe: true })
      handleSubscriptions(server, watch)
      return server
    },
    { transport: lines, onerror: limitWarnings(say) },
  )
  signal.addEventListener('abort', lines.end, { once: true })
  if (signal.aborted) lines.end()
  try {
    await lines.finished
  } finally {
    watch.close()
    await serving.close()
  }
}

/** Words on what is odd but harmless. */
const MAX_WARNINGS = 5

/** Says what errors are, the first of them, without what they hold: others print it behind a colon. */
function limitWarnings(say: (text: string) => void): (error: Error) => void {
  let count = 0
  return ({ message }) => {
    count++
    if (count <= MAX_WARNINGS) say(oneLine(message.split(':')[0] ?? ''))
    if (count === MAX_WARNINGS) say('no more is said of such lines')
  }
}

/** How clients subscribe up to 2025-11-25. */
function handleSubscriptions({ server }: McpServer, watch: Subscriptions): void {
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    try {
      watch.remove(uri)
      await watch.add(uri, uri)
      return {}
    } catch (error) {
      const { code, message } = toClientError(error)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${code}: ${message}`)
    }
  })
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    watch.remove(uri)
    return {}
  })
}
