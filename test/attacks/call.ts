import { Agent, request } from 'node:http'

/** Connections that a caller keeps, as clients do. */
export function connections(most: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: most })
}

/** A request to a server. */
export interface Call {
  method: string
  path: string
  token: string
  body?: unknown
}

/** Sends a request and reads its response. @returns its status */
export function call(agent: Agent, url: string, { method, path, token, body }: Call): Promise<number> {
  const { hostname, port } = new URL(url)
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${token}`,
    ...(text !== undefined && { 'content-type': 'application/json' }),
  }
  return new Promise((resolve, reject) => {
    request({ hostname, port, method, path, headers, agent }, (incoming) => {
      incoming
        .resume()
        .once('error', reject)
        .once('end', () => resolve(incoming.statusCode ?? 0))
    })
      .once('error', reject)
      .end(text)
  })
}
