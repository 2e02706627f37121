import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ValidationError } from '../domain/errors.ts'
import { restricted, tenantFor } from '../features/kernel/access.ts'
import type { Deps } from '../features/kernel/deps.ts'
import { problemsOf } from './openapi.ts'
import { anyJson } from './response-schema.ts'

/** An MCP message and its sender. */
export interface McpCall {
  /** Restricted to one user. */
  readonly deps: Deps
  readonly userId: string
  /** Without its body. */
  readonly request: Request
  /** Parsed JSON; `undefined` if empty. */
  readonly body: unknown
  /** Aborted when the client disconnects before it has the response. */
  readonly gone: AbortSignal
  /** Called with unexpected errors. */
  readonly report: (error: unknown) => void
}

/** MCP over streamable HTTP. */
export interface McpFront {
  handle(call: McpCall): Promise<Response>
  /** The user if neither token nor request names one; absent: such requests are refused. */
  readonly defaultUser?: string
}

const message = z
  .looseObject({ jsonrpc: z.literal('2.0'), id: anyJson.optional(), method: z.string().optional() })
  .meta({ description: 'A JSON-RPC 2.0 message of the Model Context Protocol.' })

const querystring = z.object({
  user: z.string().optional().meta({ description: 'The user, if the token is for a whole tenant.' }),
})

const ROUTES = [
  { method: 'POST', operationId: 'mcp', summary: 'Handle a Model Context Protocol message' },
  { method: 'GET', operationId: 'mcpStream', summary: 'Not supported: this server opens no streams of its own' },
  { method: 'DELETE', operationId: 'mcpEnd', summary: 'Not supported: this server keeps no transport sessions' },
] as const

const json = (description: string) => ({ description, content: { 'application/json': { schema: message } } })

/** Mounts `/mcp`, behind authentication. */
export function mcpRoutes(app: FastifyInstance, front: McpFront): void {
  for (const { method, operationId, summary } of ROUTES) {
    const own = method === 'POST' ? { 200: json('The response'), 202: NOTHING } : { 405: json('Not allowed') }
    const body = method === 'POST' ? { body: message } : {}
    const schema = {
      operationId,
      summary,
      tags: ['mcp'],
      querystring,
      ...body,
      response: { ...own, ...problemsOf({}) },
    }
    app.route({ method, url: '/mcp', schema, handler: (request, reply) => respond(front, request, reply) })
  }
}

const NOTHING = z.null().meta({ description: 'Accepted' })

async function respond(front: McpFront, request: FastifyRequest, reply: FastifyReply) {
  const { visit, caller, body, log } = request
  request.handled = true
  try {
    await visit.turn()
    const { deps, userId } = forUser(caller.deps, request, front.defaultUser)
    const report = (error: unknown) => log.error({ err: error }, 'failed')
    const gone = new AbortController()
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort()
    })
    const call = { deps, userId, request: webRequest(request), body, report, gone: gone.signal }
    const response = await front.handle(call)
    const text = await response.text()
    for (const [name, value] of response.headers) if (!OURS.has(name)) void reply.header(name, value)
    return reply.code(response.status).send(text === '' ? undefined : text)
  } finally {
    visit.leave()
  }
}

/** Headers that the framework sets. */
const OURS: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding'])

/** The caller restricted to one user: the token's, else the one named in the request, else the default. */
function forUser(deps: Deps, request: FastifyRequest, byDefault: string | undefined): { deps: Deps; userId: string } {
  const { user } = request.query as { user?: unknown }
  const userId = user ?? deps.within?.userId ?? byDefault
  if (typeof userId !== 'string') {
    throw new ValidationError(
      'user',
      'is required because the token covers a whole tenant; add it to the address: /mcp?user=ID',
    )
  }
  const tenant = tenantFor(deps, undefined)
  return { deps: restricted(deps, { tenant, userId }), userId }
}

/** The request in the form of the MCP library, without headers it must not see. */
function webRequest({ method, headers, host }: FastifyRequest): Request {
  const { authorization: _token, 'content-length': _length, ...rest } = headers
  const shown = Object.entries(rest).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
  return new Request(`http://${URL.canParse(`http://${host}`) ? host : 'localhost'}/mcp`, { method, headers: shown })
}
