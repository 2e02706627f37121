import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received request. */
export interface Received {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** Handles one request. */
export type Turn = (response: ServerResponse, request: Received) => void

/** A server on loopback that handles each request with the next turn of its script. */
export interface ScriptedServer {
  url: string
  port: number
  /** All requests so far. */
  received: Received[]
  /** Adds turns for the next requests. */
  next(...turns: readonly Turn[]): void
  stop(): Promise<void>
}

/** On a free port, if none is named. */
export async function startScriptedServer({ port: wanted = 0 }, ...script: readonly Turn[]): Promise<ScriptedServer> {
  const turns = [...script]
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    const seen = { method, url, headers, body }
    received.push(seen)
    const turn = turns.shift() ?? answer(500, { code: 'INTERNAL', detail: 'not in the script', details: {} })
    turn(response, seen)
  })
  await new Promise<void>((resolve) => {
    server.listen(wanted, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    received,
    next: (...more) => void turns.push(...more),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Answers with JSON. */
export function answer(status: number, body?: unknown, headers: Record<string, string> = {}): Turn {
  return (response) => {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    response.writeHead(status, { ...type, ...headers }).end(body === undefined ? undefined : JSON.stringify(body))
  }
}

/** Reads the request, and cuts the connection. */
export const cut: Turn = (response) => void response.socket?.destroy()

/** Never answers. */
export const hang: Turn = () => {}
