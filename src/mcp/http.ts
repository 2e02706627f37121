import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Throughline } from '../api.ts'
import { createMcpServer } from './server.ts'
import { createToolContext, type ToolContext } from './tool-context.ts'

/** One request of the streamable HTTP transport. */
export interface McpRequest {
  /** Without its body. */
  readonly request: Request
  /** As JSON; `undefined` if it was empty. */
  readonly body: unknown
  /** Told of errors that nobody foresaw. */
  readonly report: (error: unknown) => void
}

/**
 * Answers one request for the user of `tl`. Nothing is kept between requests: any server of a fleet may take the next one, and one that was
 * started anew takes up where the last one was.
 */
export async function handleMcpRequest(tl: Throughline, userId: string, incoming: McpRequest): Promise<Response> {
  const { request, body, report } = incoming
  // streams that the server begins, and sessions of the transport, are for servers that keep something
  if (request.method !== 'POST') return methodNotAllowed()
  const desk = createToolContext(tl, userId, report)
  if (await isLegacyRequest(request.clone(), body)) return await handleLegacyRequest(desk, request, body)
  const handler = createMcpHandler(() => createMcpServer(desk), { legacy: 'reject' })
  return await handler.fetch(request, body === undefined ? {} : { parsedBody: body })
}

/** The protocol up to 2025-11-25, with plain JSON for answers: no tool has anything to say before its result. */
async function handleLegacyRequest(desk: ToolContext, request: Request, body: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const server = createMcpServer(desk)
  try {
    await server.connect(transport)
    const response = await transport.handleRequest(request, body === undefined ? {} : { parsedBody: body })
    const text = await response.text()
    const { status, headers } = response
    return new Response(text === '' ? null : text, { status, headers })
  } finally {
    await server.close()
  }
}

function methodNotAllowed(): Response {
  const error = {
    code: -32000,
    message: 'Method not allowed: this server keeps no sessions of the transport, send POST',
  }
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 405, headers: { allow: 'POST' } })
}
