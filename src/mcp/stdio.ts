import type { Readable, Writable } from 'node:stream'
import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Throughline } from '../api.ts'
import { Turns } from '../features/turns.ts'
import type { Desk } from './desk.ts'
import { mcpServerAt } from './server.ts'
import { StdioLine } from './stdio-line.ts'
import { toldOf } from './tool-error.ts'
import { Watch } from './watch.ts'

/** Where messages come from and go to, and when to stop. */
export interface StdioOptions {
  readonly input: Readable
  /** Gets messages of the protocol, and nothing else. */
  readonly output: Writable
  /** Told of errors that nobody foresaw, and of lines that are no messages. */
  readonly report: (error: unknown) => void
  /** Finishes what was asked for, and ends. */
  readonly signal: AbortSignal
}

/** Serves one client over two streams, for the user of `tl`. Resolves when the client has gone, or it was told to stop, and all is written. */
export async function serveMcpOverStdio(tl: Throughline, userId: string, options: StdioOptions): Promise<void> {
  const { input, output, report, signal } = options
  const desk: Desk = { tl, userId, turns: new Turns(), unwritten: new Map(), report }
  let server: McpServer | undefined
  const watch = new Watch(desk, (uri) => void server?.server.sendResourceUpdated({ uri }).catch(report))
  const line = new StdioLine(input, output, watch.listen)
  const serving = serveStdio(
    () => {
      server = mcpServerAt(desk, { subscribe: true })
      takeSubscriptions(server, watch)
      return server
    },
    { transport: line, onerror: report },
  )
  signal.addEventListener('abort', line.end, { once: true })
  if (signal.aborted) line.end()
  await line.over
  watch.end()
  await serving.close()
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
