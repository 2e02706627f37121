import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ValidationError } from '../domain/errors.ts'
import { restricted, tenantFor } from '../features/kernel/access.ts'
import type { Deps } from '../features/kernel/deps.ts'
import { problemsOf } from './openapi.ts'
import { anyJson } from './response-schema.ts'

/** A message of MCP, and who sent it. */
export interface McpCall {
  /** For one user alone. */
  readonly deps: Deps
  readonly userId: string
  /** Without its body. */
  readonly request: Request
  /** As JSON; `undefined` if it was empty. */
  readonly body: unknown
  /** Told of errors that nobody foresaw. */
  readonly report: (error: unknown) => void
}

/** MCP over streamable HTTP. */
export interface McpFront {
  answer(call: McpCall): Promise<Response>
  /** Who is meant where neither token nor request names a user; absent: that is refused. */
  readonly defaultUser?: string
}

const message = z
  .looseObject({ jsonrpc: z.literal('2.0'), id: anyJson.optional(), method: z.string().optional() })
  .meta({ description: 'A message of JSON-RPC 2.0, as the Model Context Protocol has it.' })

const querystring = z.object({
  user: z.string().optional().meta({ description: 'Whose sessions are meant, where the token is for a whole tenant.' }),
})

const ROUTES = [
  { method: 'POST', operationId: 'mcp', summary: 'A message of the Model Context Protocol' },
  { method: 'GET', operationId: 'mcpStream', summary: 'Nothing: this server begins no streams of its own' },
  { method: 'DELETE', operationId: 'mcpEnd', summary: 'Nothing: this server keeps no sessions of the transport' },
] as const

const json = (description: string) => ({ description, content: { 'application/json': { schema: message } } })

/** Mounts `/mcp`, behind whatever decides who is let in. */
export function mcpRoutes(app: FastifyInstance, front: McpFront): void {
  for (const { method, operationId, summary } of ROUTES) {
    const own = method === 'POST' ? { 200: json('The answer'), 202: NOTHING } : { 405: json('Not allowed') }
    const body = method === 'POST' ? { body: message } : {}
    const schema = {
      operationId,
      summary,
      tags: ['mcp'],
      querystring,
      ...body,
      response: { ...own, ...problemsOf({}) },
    }
    app.route({ method, url: '/mcp', schema, handler: (request, reply) => answered(front, request, reply) })
  }
}

const NOTHING = z.null().meta({ description: 'It was taken' })

async function answered(front: McpFront, request: FastifyRequest, reply: FastifyReply) {
  const { visit, caller, body, log } = request
  request.handled = true
  try {
    const { deps, userId } = forUser(caller.deps, request, front.defaultUser)
    const report = (error: unknown) => log.error({ err: error }, 'failed')
    const response = await front.answer({ deps, userId, request: webRequest(request), body, report })
    const text = await response.text()
    for (const [name, value] of response.headers) if (!OURS.has(name)) void reply.header(name, value)
    return reply.code(response.status).send(text === '' ? undefined : text)
  } finally {
    visit.leave()
  }
}

/** Headers that the framework makes. */
const OURS: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding'])

/** The same caller, seeing what belongs to one user: that of the token, else the one that is named, else the default. */
function forUser(deps: Deps, request: FastifyRequest, byDefault: string | undefined): { deps: Deps; userId: string } {
  const { user } = request.query as { user?: unknown }
  const userId = user ?? deps.within?.userId ?? byDefault
  if (typeof userId !== 'string') {
    throw new ValidationError('user', 'must be named, since the token is for more than one: /mcp?user=ID')
  }
  const tenant = tenantFor(deps, undefined)
  return { deps: restricted(deps, { tenant, userId }), userId }
}

/** The request as the protocol's library takes it, without what it must not see. */
function webRequest({ method, headers, host }: FastifyRequest): Request {
  const { authorization: _token, 'content-length': _length, ...rest } = headers
  const shown = Object.entries(rest).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
  return new Request(`http://${URL.canParse(`http://${host}`) ? host : 'localhost'}/mcp`, { method, headers: shown })
}
