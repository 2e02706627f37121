import type { Readable, Writable } from 'node:stream'
import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Throughline } from '../api.ts'
import { line } from './clip.ts'
import { mcpServerAt } from './server.ts'
import { StdioLine } from './stdio-line.ts'
import { deskOf } from './tool-context.ts'
import { toldOf } from './tool-error.ts'
import { Watch } from './watch.ts'

/** Where messages come from and go to, and when to stop. */
export interface StdioOptions {
  readonly input: Readable
  /** Gets messages of the protocol, and nothing else. */
  readonly output: Writable
  /** Told of errors that nobody foresaw. */
  readonly report: (error: unknown) => void
  /** Gets a few words on lines that are no messages, and on messages that nobody waits for. */
  readonly say: (text: string) => void
  /** Finishes what was asked for, and ends. */
  readonly signal: AbortSignal
}

/**
 * Serves one client over two streams, for the user of `tl`. Resolves when the client has gone, or it was told to stop, and all is written. Rejects
 * in the same way where what comes in cannot be read any further.
 */
export async function serveMcpOverStdio(tl: Throughline, userId: string, options: StdioOptions): Promise<void> {
  const { input, output, report, say, signal } = options
  const desk = deskOf(tl, userId, report)
  let server: McpServer | undefined
  const watch = new Watch(desk, (uri) => void server?.server.sendResourceUpdated({ uri }).catch(report))
  const lines = new StdioLine(input, output, watch.listen)
  const serving = serveStdio(
    () => {
      server = mcpServerAt(desk, { subscribe: true })
      takeSubscriptions(server, watch)
      return server
    },
    { transport: lines, onerror: aFew(say) },
  )
  signal.addEventListener('abort', lines.end, { once: true })
  if (signal.aborted) lines.end()
  try {
    await lines.over
  } finally {
    watch.end()
    await serving.close()
  }
}

/** Words on what is odd but harmless. */
const WORDS = 5

/** Says what errors are, the first of them, without what they hold: others print it behind a colon. */
function aFew(say: (text: string) => void): (error: Error) => void {
  let count = 0
  return ({ message }) => {
    count++
    if (count <= WORDS) say(line(message.split(':')[0] ?? ''))
    if (count === WORDS) say('no more is said of such lines')
  }
}

/** How clients subscribe up to 2025-11-25. */
function takeSubscriptions({ server }: McpServer, watch: Watch): void {
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    try {
      watch.remove(uri)
      await watch.add(uri, uri)
      return {}
    } catch (error) {
      const { code, message } = toldOf(error)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${code}: ${message}`)
    }
  })
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    watch.remove(uri)
    return {}
  })
}
