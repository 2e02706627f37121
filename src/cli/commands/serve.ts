import { z } from 'zod'
import { defined } from '../../domain/optional.ts'
import { LOG_LEVELS } from '../../http/log-level.ts'
import { pricesFrom } from '../../open/prices.ts'
import { targetOf } from '../../open/target.ts'
import type { Server } from '../../server.ts'
import { type Context, command } from '../command.ts'
import { PRICES, wholeNumber } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { waitForStopSignal } from '../signals.ts'
import { type Target, toOpenOptions } from '../target.ts'

export const serveInput = z.strictObject({
  port: wholeNumber(0, 65535).optional(),
  host: z.string().min(1).optional(),
  limits: z.string().optional(),
  log: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).optional(),
  user: z.string().optional(),
  prices: z.string().optional(),
  agents: z.array(z.string()).optional(),
})

export const serveCommand = command({
  usage: 'serve',
  summary: 'serve the store over HTTP, with the inspector page',
  more: [
    'Open its address in a browser to see the inspector.',
    '',
    'Without a token key it listens on this machine only (tenant "local"). To',
    'require tokens and listen on other addresses, set THROUGHLINE_JWT_SECRET,',
    'THROUGHLINE_JWKS_URL or THROUGHLINE_JWT_PUBLIC_KEY.',
    '',
    'Stop it with Ctrl-C or SIGTERM. It finishes the requests it has accepted.',
  ].join('\n'),
  options: [
    { flags: '--port <number>', description: 'port; 0 picks a free one (THROUGHLINE_PORT, default: 4747)' },
    { flags: '--host <address>', description: 'address to listen on (THROUGHLINE_HOST, default: 127.0.0.1)' },
    {
      flags: '--limits <list>',
      description: 'server limits, such as streamsPerCaller=1000,requests=2000 (THROUGHLINE_LIMITS)',
    },
    PRICES,
    { flags: '--log <level>', description: `log level on stderr: ${LOG_LEVELS.join(', ')} (default: info)` },
  ],

  input: serveInput,
  run: (input, context) => runServer(input, context, formatBanner),
})

/** Prints the banner and serves until a stop signal. */
export async function runServer(
  input: z.output<typeof serveInput>,
  { target, output }: Context,
  banner: typeof formatBanner,
): Promise<undefined> {
  const { limits, prices, ...options } = defined(input)
  const { serve } = await import('../../server.ts')
  const { limitsFrom } = await import('../../http/settings.ts')
  const server = await serve({
    ...toOpenOptions(target),
    ...options,
    ...(limits !== undefined && { limits: limitsFrom(limits, 'limits') }),
    ...defined({ prices: prices === undefined ? undefined : await pricesFrom(prices) }),
  })
  const stopped = waitForStopSignal()
  output.print(banner(server, target, output), { url: server.url, secured: server.secured, mcp: `${server.url}/mcp` })
  await stopped
  await server.close()
  return undefined
}

function formatBanner({ url, secured }: Server, target: Target, { paint }: Output): string {
  const { store } = targetOf(target.url)
  const access = secured
    ? 'Clients need a token.'
    : 'Listening on this machine only (tenant "local"): no token key is configured.'
  return [
    `Throughline serves ${store} at ${paint('bold', url)}`,
    paint('dim', `Open it in a browser to inspect sessions. All routes: ${url}/openapi.json`),
    paint('dim', `${access} Press Ctrl-C to stop.`),
  ].join('\n')
}
