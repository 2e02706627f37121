import { PassThrough } from 'node:stream'
import { setImmediate as soon } from 'node:timers/promises'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { MAX_MESSAGE_BYTES } from './line-splitter.ts'
import { StdioTransport } from './stdio-transport.ts'

async function startTransport(intercept: (message: JSONRPCMessage) => Promise<void> | undefined = () => undefined) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const transport = new StdioTransport(input, output, intercept)
  const received: JSONRPCMessage[] = []
  const errors: Error[] = []
  transport.onmessage = (message) => void received.push(message)
  transport.onerror = (error) => void errors.push(error)
  await transport.start()
  let hasFinished = false
  void transport.finished
    .catch((error) => void errors.push(error))
    .finally(() => {
      hasFinished = true
    })
  const request = (id: number, method = 'ping') => input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method })}\n`)
  const respond = (id: number) => transport.send({ jsonrpc: '2.0', id, result: {} })
  const finished = async () => {
    await soon()
    await soon()
    return hasFinished
  }
  return { input, output, transport, received, errors, request, respond, finished }
}

describe('the stdio transport', () => {
  it('finishes when the input has ended and every request is completed or cancelled', async () => {
    const { input, output, request, respond, received, finished } = await startTransport()
    request(1)
    request(2)
    request(3, 'subscriptions/listen')
    input.end(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })}\n`)
    expect(await finished()).toBe(false)
    expect(received).toHaveLength(4)
    await respond(1)
    expect(await finished()).toBe(true)
    expect(String(output.read())).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n')
  })

  it('finishes when told to end, and accepts nothing more', async () => {
    const { transport, request, respond, received, finished } = await startTransport()
    request(1)
    await finished()
    transport.end()
    request(2)
    expect(await finished()).toBe(false)
    await respond(1)
    expect(await finished()).toBe(true)
    expect(received).toHaveLength(1)
  })

  it('finishes pending requests when nobody reads the responses', async () => {
    const { output, request, respond, finished } = await startTransport()
    request(1)
    await finished()
    output.destroy(new Error('nobody is there'))
    expect(await finished()).toBe(false)
    await respond(1)
    expect(await finished()).toBe(true)
  })

  it('reads a message in many chunks and several in one, and warns about other lines', async () => {
    const { input, received, errors, finished } = await startTransport()
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { text: 'ü🙂\\n' } })
    for (const byte of Buffer.from(`${text}\r\n\n`)) input.write(Buffer.from([byte]))
    input.write(`${text}\nsecret\n{"secret":1}\n${text}\n`)
    await finished()
    expect(received).toEqual(Array(3).fill(JSON.parse(text)))
    expect(errors.map(({ message }) => message)).toEqual(
      Array(2).fill(expect.stringContaining('not a JSON-RPC message')),
    )
    expect(JSON.stringify(errors.map(String))).not.toContain('secret')
  })

  it('accepts the largest event, and fails on a longer message after completing earlier requests', async () => {
    const { input, request, respond, received, errors, finished } = await startTransport()
    const params = { text: 'x'.repeat(MAX_MESSAGE_BYTES - 100) }
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params })}\n`)
    request(2)
    input.write('x'.repeat(MAX_MESSAGE_BYTES))
    input.write('xx')
    expect(await finished()).toBe(false)
    expect({ received: received.length, errors }).toEqual({ received: 2, errors: [] })
    await respond(1)
    await respond(2)
    expect(await finished()).toBe(true)
    expect(errors).toMatchObject([{ code: 'TOO_LARGE', details: { limit: MAX_MESSAGE_BYTES } }])
  })

  it('delays a message while the interceptor is busy', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { request, received, finished } = await startTransport((message) =>
      'id' in message && message.id === 1 ? promise : undefined,
    )
    request(1)
    request(2)
    await finished()
    expect(received).toMatchObject([{ id: 2 }])
    resolve()
    await finished()
    expect(received).toMatchObject([{ id: 2 }, { id: 1 }])
  })
})
