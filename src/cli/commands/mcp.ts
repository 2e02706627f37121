import { Console } from 'node:console'
import { PassThrough, pipeline } from 'node:stream'
import { z } from 'zod'
import type { Throughline } from '../../api.ts'
import { StorageError, ValidationError } from '../../domain/errors.ts'
import type { Principal } from '../../domain/record.ts'
import { parse } from '../../features/kernel/parse.ts'
import { defaultUser } from '../../mcp/default-user.ts'
import { open } from '../../open/open.ts'
import { targetOf } from '../../open/target.ts'
import type { Server } from '../../server.ts'
import type { Command } from '../command.ts'
import { given, nameOption, tenant } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { type Target, toOpenOptions } from '../target.ts'
import { runServer, waitForStopSignal } from './serve.ts'

const mcpInput = z.strictObject({
  http: z.boolean().default(false),
  user: nameOption().optional(),
  tenant,
  agents: z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .optional(),
  port: z.string().optional(),
  host: z.string().optional(),
})

type McpInput = z.output<typeof mcpInput>

export const mcpCommand: Command = {
  usage: 'mcp',
  summary: 'give agents sessions and memory over MCP, on stdin and stdout',
  more: [
    'For clients of the Model Context Protocol: they start it themselves, see docs/mcp.md. It works for one user.',
    'It ends when its input does, on SIGTERM and on Ctrl-C, and finishes first what it was asked for. While the store',
    'does not answer it leaves at once.',
    'With --http it is throughline serve, which has MCP at /mcp.',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'whose sessions (THROUGHLINE_USER, else the user of this system)' },
    { flags: '--tenant <id>', description: 'tenant of the user (default: "local")' },
    { flags: '--agents <list>', description: 'agents that sessions may be handed to, with commas between them' },
    { flags: '--http', description: 'serve it over HTTP, at /mcp, beside all that serve has' },
    { flags: '--port <number>', description: 'with --http: port, 0 for a free one (THROUGHLINE_PORT, else 4747)' },
    { flags: '--host <address>', description: 'with --http: address to listen on (THROUGHLINE_HOST, else 127.0.0.1)' },
  ],

  async run(input, context) {
    const { http, ...options } = parse(mcpInput, input)
    if (http) return await runServer(toServeInput(options), context, formatBanner)
    for (const option of ['port', 'host'] as const) {
      if (options[option] !== undefined) throw new ValidationError(option, 'goes with --http')
    }
    await serveStdio(options, context.target)
    return undefined
  },
}

/** What `serve` takes of it. */
function toServeInput({ tenant: chosen, ...options }: Omit<McpInput, 'http'>) {
  if (chosen !== undefined) throw new ValidationError('tenant', 'goes without --http: there the token names it')
  return given(options)
}

function formatBanner({ url, secured }: Server, _target: Target, { paint }: Output): string {
  const who = secured ? 'to whoever has a token' : 'to this machine alone: no key for tokens is set'
  return [
    `Throughline gives agents sessions and memory at ${paint('bold', `${url}/mcp`)}`,
    paint('dim', `streamable HTTP, ${who}; Ctrl-C stops it`),
  ].join('\n')
}

async function serveStdio({ agents, ...who }: Omit<McpInput, 'http'>, target: Target): Promise<void> {
  const { store } = targetOf(target.url)
  reserveStdout()
  const { serveMcpOverStdio } = await import('../../mcp/stdio.ts')
  const { MAX_MESSAGE_BYTES } = await import('../../mcp/line-splitter.ts')
  // keeps what comes before the store is open, so that an end behind it is heard
  const input = new PassThrough({ highWaterMark: MAX_MESSAGE_BYTES }).on('error', () => {})
  pipeline(process.stdin, input, () => {})
  let tl: Throughline | undefined
  try {
    const opening = open({ ...toOpenOptions(target), ...(agents !== undefined && { agents: agents as [string] }) })
    tl = await waitForStore(opening, input, store)
    if (tl === undefined) return
    const person = resolvePrincipal(tl, who)
    if (process.stdin.isTTY)
      say('this speaks the Model Context Protocol on stdin and stdout, for programs; Ctrl-D ends it')
    await serveMcpOverStdio(tl.as(person), person.userId, {
      input,
      output: process.stdout,
      report: (error) => say(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      warn: say,
      signal: stopSignal(),
    })
  } finally {
    await tl?.close()
    // an input that is still open would keep the process
    process.stdin.destroy()
  }
}

/** Tells of signals. To be called when the store is open: until then they end the process at once, as with every command. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  void waitForStopSignal().then(() => stop.abort())
  return stop.signal
}

/** Milliseconds that a store may take without a word. */
const SLOW_STORE_MS = 2000
/** Milliseconds that a store may still take when the client has closed its end: having asked something, or nothing. */
const CLOSED_INPUT_MS = { asked: 10_000, idle: 500 }

/** The store, when it answers; `undefined` if the client has gone before and wants nothing. */
async function waitForStore(
  opening: Promise<Throughline>,
  input: PassThrough,
  store: string,
): Promise<Throughline | undefined> {
  const { promise: left, resolve, reject } = Promise.withResolvers<undefined>()
  const timers = [setTimeout(say, SLOW_STORE_MS, `waits for the store (${store}) to answer; Ctrl-C ends it`)]
  const leave = () => {
    const late = new StorageError(store, 'did not answer, and whoever asked has gone')
    const isIdle = input.readableLength === 0
    timers.push(
      isIdle ? setTimeout(resolve, CLOSED_INPUT_MS.idle, undefined) : setTimeout(reject, CLOSED_INPUT_MS.asked, late),
    )
  }
  input.once('finish', leave)
  // what hangs on the store would keep the process
  left.finally(() => setTimeout(() => process.exit(), 100).unref()).catch(() => {})
  try {
    return await Promise.race([opening, left])
  } finally {
    input.off('finish', leave)
    for (const timer of timers) clearTimeout(timer)
  }
}

/** Who is meant: as it was typed, else as the token of a server says. */
function resolvePrincipal(
  { principal }: Throughline,
  who: Pick<McpInput, 'user' | 'tenant'>,
): Principal & { userId: string } {
  const userId = who.user ?? (process.env['THROUGHLINE_USER'] || principal?.userId) ?? defaultUser()
  return { tenant: who.tenant ?? principal?.tenant ?? 'local', userId }
}

/** Stdout belongs to the protocol: what others would print there goes to stderr, and a client that has gone is no reason to leave at once. */
function reserveStdout(): void {
  globalThis.console = new Console(process.stderr)
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => {})
}

function say(text: string): void {
  process.stderr.write(`throughline mcp: ${text}\n`)
}
