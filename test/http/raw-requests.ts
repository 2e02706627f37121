import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { infoRoute } from '../../src/http/info-route.ts'
import type { Route } from '../../src/http/route.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { operatorToken } from '../servers/http.ts'
import { SAMPLES, type TestRequest, type TestResponse } from './samples.ts'
import { urlOf } from './send.ts'

/** Every route below `/v1`. */
export const ALL_ROUTES: readonly Route[] = [infoRoute('0.0.0'), ...ROUTES]

/** The token of the operator. */
export const authorization = `Bearer ${await operatorToken()}`

/** A valid request for things that do not exist, to provoke errors that come before the lookup. */
export function sampleRequest({ operation }: Route, more: TestRequest = {}): TestRequest {
  const { state: _state, ...sample } = SAMPLES[operation] ?? {}
  const params = { id: '01234567-89ab-4def-8123-456789abcdef', ...sample.params }
  return { ...sample, params, ...more, headers: { authorization, ...more.headers } }
}

/** Sends raw bytes, and returns everything received until the other side closes. */
export async function sendRaw(base: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

/** Starts a request without sending its body, and waits until it is accepted. */
export async function holdConnection(base: string): Promise<Socket> {
  const { hostname, port, host } = new URL(base)
  const socket = connect(Number(port), hostname)
  const head = ['POST /v1/sessions HTTP/1.1', `host: ${host}`, `authorization: ${authorization}`]
  const body = ['content-type: application/json', 'content-length: 2', 'expect: 100-continue']
  const [first] = await new Promise<Buffer[]>((resolve, reject) => {
    socket.once('data', (chunk: Buffer) => resolve([chunk])).once('error', reject)
    socket.write(`${[...head, ...body].join('\r\n')}\r\n\r\n`)
  })
  if (String(first).startsWith('HTTP/1.1 100 Continue')) return socket
  socket.destroy()
  throw new Error(`not let in: ${first}`)
}

/** Announces the length of a body, and sends nothing of it. */
export async function announceBody(base: string, route: Route, bytes: number): Promise<TestResponse> {
  const headers = { authorization, 'content-type': 'application/json', 'content-length': bytes }
  return await new Promise((resolve, reject) => {
    const begun = request(
      urlOf(base, route.path, sampleRequest(route)),
      { method: route.method, headers },
      async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        begun.destroy()
        const type = response.headers['content-type'] ?? ''
        resolve({ status: response.statusCode ?? 0, type, headers: new Headers(), text })
      },
    )
    begun.once('error', reject)
    begun.flushHeaders()
  })
}
