import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Throughline } from '../api.ts'
import { createMcpServer } from './server.ts'
import { type ClientRuns, createToolContext, type ToolContext } from './tool-context.ts'

/** One request of the streamable HTTP transport. */
export interface McpRequest {
  /** Without its body. */
  readonly request: Request
  /** Parsed JSON; `undefined` if it was empty. */
  readonly body: unknown
  /** Called with unexpected errors. */
  readonly report: (error: unknown) => void
  /** The runs that this server holds for the client. Absent: those of this request only. */
  readonly client?: ClientRuns
}

/**
 * Handles one request for the user of `tl`. Keeps nothing between requests except the leases of claimed runs, so any
 * server of a fleet may take the next one, also after a restart.
 */
export async function handleMcpRequest(tl: Throughline, userId: string, incoming: McpRequest): Promise<Response> {
  const { request, body, report, client } = incoming
  // GET and DELETE are for servers that keep transport sessions
  if (request.method !== 'POST') return methodNotAllowed()
  const context = createToolContext(tl, userId, report, client)
  const options = body === undefined ? {} : { parsedBody: body }
  if (await isLegacyRequest(request.clone(), body)) return await handleLegacyRequest(context, request, options)
  const handler = createMcpHandler(() => createMcpServer(context), { legacy: 'reject' })
  return await handler.fetch(request, options)
}

/** The protocol up to 2025-11-25, with plain JSON responses: no tool sends anything before its result. */
async function handleLegacyRequest(
  context: ToolContext,
  request: Request,
  options: { parsedBody?: unknown },
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const server = createMcpServer(context)
  try {
    await server.connect(transport)
    const response = await transport.handleRequest(request, options)
    const text = await response.text()
    const { status, headers } = response
    return new Response(text === '' ? null : text, { status, headers })
  } finally {
    await server.close()
  }
}

function methodNotAllowed(): Response {
  const error = { code: -32000, message: 'Method not allowed. This server is stateless: send POST.' }
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 405, headers: { allow: 'POST' } })
}
