import { Console } from 'node:console'
import { PassThrough, pipeline } from 'node:stream'
import { z } from 'zod'
import type { Throughline } from '../../api.ts'
import { StorageError, ValidationError } from '../../domain/errors.ts'
import { defined } from '../../domain/optional.ts'
import type { Principal } from '../../domain/record.ts'
import { parse } from '../../features/kernel/parse.ts'
import { defaultUser } from '../../mcp/default-user.ts'
import { open } from '../../open/open.ts'
import { targetOf } from '../../open/target.ts'
import type { Server } from '../../server.ts'
import { command } from '../command.ts'
import { nameOption, tenant, USER_TENANT } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { stopSignal } from '../signals.ts'
import { type Target, toOpenOptions } from '../target.ts'
import { runServer, serveInput } from './serve.ts'

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

export const mcpCommand = command({
  usage: 'mcp',
  summary: 'give agents sessions and memory over MCP (stdin and stdout)',
  more: [
    'MCP clients start this command themselves; docs/mcp.md shows their settings. It',
    'works for one user. It stops when its input ends, on SIGTERM and on Ctrl-C,',
    'after it has answered pending requests.',
    '',
    'With --http it runs throughline serve, which has MCP at /mcp.',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'owner of the sessions (THROUGHLINE_USER, default: your system user)' },
    USER_TENANT,
    { flags: '--agents <list>', description: 'agents that can take a session over, separated by commas' },
    { flags: '--http', description: 'serve MCP over HTTP at /mcp, as part of throughline serve' },
    {
      flags: '--port <number>',
      description: 'with --http: port; 0 picks a free one (THROUGHLINE_PORT, default: 4747)',
    },
    {
      flags: '--host <address>',
      description: 'with --http: address to listen on (THROUGHLINE_HOST, default: 127.0.0.1)',
    },
  ],

  input: mcpInput,
  async run({ http, ...options }, context) {
    if (http) return await runServer(toServeInput(options), context, formatBanner)
    for (const option of ['port', 'host'] as const) {
      if (options[option] !== undefined) throw new ValidationError(option, 'needs --http')
    }
    await serveStdio(options, context.target)
    return undefined
  },
})

/** The options that `serve` accepts. */
function toServeInput({ tenant: chosen, ...options }: Omit<McpInput, 'http'>) {
  if (chosen !== undefined)
    throw new ValidationError('tenant', 'cannot be combined with --http: the token names the tenant')
  return parse(serveInput, defined(options))
}

function formatBanner({ url, secured }: Server, _target: Target, { paint }: Output): string {
  const access = secured ? 'Clients need a token.' : 'Listening on this machine only: no token key is configured.'
  return [
    `Throughline serves MCP at ${paint('bold', `${url}/mcp`)}`,
    paint('dim', `Streamable HTTP. ${access} Press Ctrl-C to stop.`),
  ].join('\n')
}

async function serveStdio({ agents, ...who }: Omit<McpInput, 'http'>, target: Target): Promise<void> {
  const { store } = targetOf(target.url)
  reserveStdout()
  const { serveMcpOverStdio } = await import('../../mcp/stdio.ts')
  const { MAX_MESSAGE_BYTES } = await import('../../mcp/line-splitter.ts')
  // buffers messages until the store is open, so that the end of input after them is noticed
  const input = new PassThrough({ highWaterMark: MAX_MESSAGE_BYTES }).on('error', () => {})
  pipeline(process.stdin, input, () => {})
  let tl: Throughline | undefined
  try {
    const opening = open({ ...toOpenOptions(target), ...defined({ agents: agents as [string] | undefined }) })
    tl = await waitForStore(opening, input, store)
    if (tl === undefined) return
    const person = resolvePrincipal(tl, who)
    if (process.stdin.isTTY) say('waiting for an MCP client on stdin and stdout; press Ctrl-D to stop')
    await serveMcpOverStdio(tl.as(person), person.userId, {
      input,
      output: process.stdout,
      report: (error) => say(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      warn: say,
      // only now: until the store is open, a signal ends the process at once
      signal: stopSignal(),
    })
  } finally {
    await tl?.close()
    // an open stdin would keep the process running
    process.stdin.destroy()
  }
}

/** Milliseconds to wait for the store before saying so. */
const SLOW_STORE_MS = 2000
/** Milliseconds to wait for the store after the client closed its input, with and without pending requests. */
const CLOSED_INPUT_MS = { asked: 10_000, idle: 500 }

/** Waits for the store to open; `undefined` if the client disconnected first without a request. */
async function waitForStore(
  opening: Promise<Throughline>,
  input: PassThrough,
  store: string,
): Promise<Throughline | undefined> {
  const { promise: left, resolve, reject } = Promise.withResolvers<undefined>()
  const timers = [setTimeout(say, SLOW_STORE_MS, `waiting for the store (${store}); press Ctrl-C to stop`)]
  const leave = () => {
    const late = new StorageError(store, 'did not answer before the client disconnected')
    const isIdle = input.readableLength === 0
    timers.push(
      isIdle ? setTimeout(resolve, CLOSED_INPUT_MS.idle, undefined) : setTimeout(reject, CLOSED_INPUT_MS.asked, late),
    )
  }
  input.once('finish', leave)
  // a pending store connection would keep the process running
  left.finally(() => setTimeout(() => process.exit(), 100).unref()).catch(() => {})
  try {
    return await Promise.race([opening, left])
  } finally {
    input.off('finish', leave)
    for (const timer of timers) clearTimeout(timer)
  }
}

/** The user to work for: from the options, else from the server's token. */
function resolvePrincipal(
  { principal }: Throughline,
  who: Pick<McpInput, 'user' | 'tenant'>,
): Principal & { userId: string } {
  const userId = who.user ?? (process.env['THROUGHLINE_USER'] || principal?.userId) ?? defaultUser()
  return { tenant: who.tenant ?? principal?.tenant ?? 'local', userId }
}

/**
 * Keeps stdout for the protocol: console output goes to stderr. A client that disconnects does not end the process
 * at once.
 */
function reserveStdout(): void {
  globalThis.console = new Console(process.stderr)
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => {})
}

function say(text: string): void {
  process.stderr.write(`throughline mcp: ${text}\n`)
}
