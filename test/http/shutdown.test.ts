import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { type ServeOptions, type Server, serveWith } from '../../src/serve.ts'
import { startServer, tokenOf } from '../servers/http.ts'

let closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(closing.map((close) => close()))
  closing = []
})

async function started(options: ServeOptions, start = startServer): Promise<Server> {
  const server = await start(options)
  closing.push(() => server.close())
  return server
}

/** A promise that the test resolves. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

const streaming = { accept: 'text/event-stream' }

describe('a server that stops', () => {
  it('waits for work whose caller disconnected, then closes the store', async () => {
    const [asked, answer] = [gate(), gate()]
    let summed = false
    const server = await started({
      url: 'memory:',
      async summarize() {
        asked.open()
        await answer.opened
        summed = true
        return 'All done.'
      },
    })
    const session = await server.tl.sessions.create({ userId: 'ada', tenant: 'acme' })
    await session.append({ type: 'model_message', content: 'done' })
    await session.end()
    const leaving = new AbortController()
    const headers = { ...streaming, authorization: `Bearer ${await tokenOf({ tenant: 'acme', sub: 'ada' })}` }
    const url = `${server.url}/v1/sessions/${session.id}/compact`
    await fetch(url, { method: 'POST', headers, signal: leaving.signal })
    await asked.opened
    leaving.abort()
    const stopped = server.close().then(() => summed)
    // enough time for a stop that would not wait
    expect(await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 100, 'waits'))])).toBe('waits')
    answer.open()
    expect(await stopped).toBe(true)
  })

  it('does not wait for connections without a request', async () => {
    const server = await started({ url: 'memory:', limits: { stopTimeoutMs: 60_000 } })
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    const ended = new Promise((resolve) => socket.once('close', resolve))
    await server.close()
    await ended
  })
})

describe('a caller', () => {
  it('who disconnects early is still counted', async () => {
    const [asked, answer] = [gate(), gate()]
    const server = await started({
      url: 'memory:',
      async classify() {
        asked.open()
        await answer.opened
        return 'modification' as const
      },
    })
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${await tokenOf({ tenant: 'acme', sub: 'ada' })}`,
    }
    const send = (message: string, signal?: AbortSignal) =>
      fetch(`${server.url}/v1/conversations/c/messages`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ userId: 'ada', message }),
        ...(signal && { signal }),
      })
    await (await send('Plan the trip')).text()
    const leaving = new AbortController()
    const gone = send('Take the train', leaving.signal).catch(() => 'gone')
    await asked.opened
    leaving.abort()
    expect(await gone).toBe('gone')
    const metrics = async () => (await fetch(`${server.url}/metrics`)).text()
    await expect.poll(metrics, { timeout: 10_000 }).toMatch(/http_request_seconds_count\{.*messages",status="499"\} 1/)
    answer.open()
  })

  it('who acts for many users has the full stream limit for each of them', async () => {
    const server = await started({ url: 'memory:', limits: { streamsPerCaller: 1 } })
    const session = await server.tl.sessions.create({ userId: 'ada', tenant: 'acme' })
    const other = await server.tl.sessions.create({ userId: 'bob', tenant: 'acme' })
    const authorization = `Bearer ${await tokenOf({ tenant: 'acme', sub: 'gateway', scope: 'sessions:any' })}`
    const leaving = new AbortController()
    const follow = async (id: string, userId: string) => {
      const headers = { authorization, 'throughline-as': `tenant=acme&userId=${userId}` }
      return (await fetch(`${server.url}/v1/sessions/${id}/stream`, { headers, signal: leaving.signal })).status
    }
    expect(await follow(session.id, 'ada')).toBe(200)
    expect(await follow(other.id, 'bob')).toBe(200)
    expect(await follow(session.id, 'ada')).toBe(429)
    leaving.abort()
  })

  it('with a valid token is asked to retry while the keys cannot be fetched', async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one' }
    let status = 500
    const issuer = createServer((_, response) => response.writeHead(status).end(JSON.stringify({ keys: [jwk] })))
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => issuer.close(resolve)))
    const jwksUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/`
    const server = await started({ url: 'memory:', jwt: { jwksUrl }, port: 0, log: 'silent' }, serveWith)
    const token = await new SignJWT({ tenant: 'acme', sub: 'ada' })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(privateKey)
    const ask = () => fetch(`${server.url}/v1`, { headers: { authorization: `Bearer ${token}` } })
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
      503,
      '1',
      { code: 'UNAVAILABLE', details: { reason: 'keys' } },
    ])
    status = 200
    expect((await ask()).status).toBe(200)
  })
})
