import { z } from 'zod'
import { parse } from '../../features/kernel/parse.ts'
import { LOG_LEVELS } from '../../http/log-level.ts'
import { targetOf } from '../../open/target.ts'
import type { Server } from '../../server.ts'
import type { Command, Context } from '../command.ts'
import { given, wholeNumber } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { type Target, toOpenOptions } from '../target.ts'

const serveInput = z.strictObject({
  port: wholeNumber(0, 65535).optional(),
  host: z.string().min(1).optional(),
  limits: z.string().optional(),
  log: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).optional(),
  user: z.string().optional(),
  agents: z.array(z.string()).optional(),
})

export const serveCommand: Command = {
  usage: 'serve',
  summary: 'serve the store over HTTP, until it is told to stop',
  more: [
    'Its address in a browser is the inspector, a page that shows where every session stands.',
    'Without a key for tokens it serves this machine alone, as tenant local. With THROUGHLINE_JWT_SECRET,',
    'THROUGHLINE_JWKS_URL or THROUGHLINE_JWT_PUBLIC_KEY it asks for tokens and may listen anywhere.',
    'SIGTERM or Ctrl-C stop it: it finishes what it accepted, and refuses the rest.',
  ].join('\n'),
  options: [
    { flags: '--port <number>', description: 'port, 0 for a free one (THROUGHLINE_PORT, else 4747)' },
    { flags: '--host <address>', description: 'address to listen on (THROUGHLINE_HOST, else 127.0.0.1)' },
    { flags: '--limits <list>', description: 'such as streamsPerCaller=1000,requests=2000 (THROUGHLINE_LIMITS)' },
    { flags: '--log <level>', description: `what is logged on stderr: ${LOG_LEVELS.join(', ')} (info)` },
  ],

  run: (input, context) => runServer(input, context, formatBanner),
}

/** Serves until it is told to stop, and says so with a banner. */
export async function runServer(
  input: Readonly<Record<string, unknown>>,
  { target, output }: Context,
  banner: typeof formatBanner,
): Promise<undefined> {
  const { limits, ...options } = given(parse(serveInput, input))
  const { serve } = await import('../../server.ts')
  const { limitsFrom } = await import('../../http/settings.ts')
  const server = await serve({
    ...toOpenOptions(target),
    ...options,
    ...(limits !== undefined && { limits: limitsFrom(limits, 'limits') }),
  })
  const stopped = waitForStopSignal()
  output.print(banner(server, target, output), { url: server.url, secured: server.secured, mcp: `${server.url}/mcp` })
  await stopped
  await server.close()
  return undefined
}

function formatBanner({ url, secured }: Server, target: Target, { paint }: Output): string {
  const { store } = targetOf(target.url)
  const who = secured ? 'to whoever has a token' : 'to this machine alone, as tenant local: no key for tokens is set'
  return [
    `Throughline serves ${store} at ${paint('bold', url)}`,
    paint('dim', `open that in a browser to look into the sessions; every route is in ${url}/openapi.json`),
    paint('dim', `${who}; Ctrl-C stops it`),
  ].join('\n')
}

/** Resolves when the process is asked to stop. Asked again, it leaves at once. */
export function waitForStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.removeAllListeners(signal)
      process.once(signal, () => {
        resolve()
        process.once(signal, () => process.exit(130))
      })
    }
  })
}
