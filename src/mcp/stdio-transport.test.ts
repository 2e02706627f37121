import { PassThrough } from 'node:stream'
import { setImmediate as soon } from 'node:timers/promises'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { MAX_MESSAGE_BYTES } from './line-splitter.ts'
import { StdioTransport } from './stdio-transport.ts'

async function lineOf(before: (message: JSONRPCMessage) => Promise<void> | undefined = () => undefined) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const line = new StdioTransport(input, output, before)
  const came: JSONRPCMessage[] = []
  const errors: Error[] = []
  line.onmessage = (message) => void came.push(message)
  line.onerror = (error) => void errors.push(error)
  await line.start()
  let isOver = false
  void line.finished
    .catch((error) => void errors.push(error))
    .finally(() => {
      isOver = true
    })
  const ask = (id: number, method = 'ping') => input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method })}\n`)
  const answer = (id: number) => line.send({ jsonrpc: '2.0', id, result: {} })
  const over = async () => {
    await soon()
    await soon()
    return isOver
  }
  return { input, output, line, came, errors, ask, answer, over }
}

describe('lines of messages', () => {
  it('are over when the input has ended and all is answered or called off', async () => {
    const { input, output, ask, answer, came, over } = await lineOf()
    ask(1)
    ask(2)
    ask(3, 'subscriptions/listen')
    input.end(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })}\n`)
    expect(await over()).toBe(false)
    expect(came).toHaveLength(4)
    await answer(1)
    expect(await over()).toBe(true)
    expect(String(output.read())).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n')
  })

  it('are over when they are told to end, and take nothing more', async () => {
    const { line, ask, answer, came, over } = await lineOf()
    ask(1)
    await over()
    line.end()
    ask(2)
    expect(await over()).toBe(false)
    await answer(1)
    expect(await over()).toBe(true)
    expect(came).toHaveLength(1)
  })

  it('are over when nobody reads the answers, once the work is done', async () => {
    const { output, ask, answer, over } = await lineOf()
    ask(1)
    await over()
    output.destroy(new Error('nobody is there'))
    expect(await over()).toBe(false)
    await answer(1)
    expect(await over()).toBe(true)
  })

  it('take a message in many pieces, and several in one, and say which lines are none', async () => {
    const { input, came, errors, over } = await lineOf()
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { text: 'ü🙂\\n' } })
    for (const byte of Buffer.from(`${text}\r\n\n`)) input.write(Buffer.from([byte]))
    input.write(`${text}\nsecret\n{"secret":1}\n${text}\n`)
    await over()
    expect(came).toEqual(Array(3).fill(JSON.parse(text)))
    expect(errors.map(({ message }) => message)).toEqual(Array(2).fill(expect.stringContaining('no message')))
    expect(JSON.stringify(errors.map(String))).not.toContain('secret')
  })

  it('take what the largest event needs, and fail behind what came before where a message is larger than any should be', async () => {
    const { input, ask, answer, came, errors, over } = await lineOf()
    const params = { text: 'x'.repeat(MAX_MESSAGE_BYTES - 100) }
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params })}\n`)
    ask(2)
    input.write('x'.repeat(MAX_MESSAGE_BYTES))
    input.write('xx')
    expect(await over()).toBe(false)
    expect({ came: came.length, errors }).toEqual({ came: 2, errors: [] })
    await answer(1)
    await answer(2)
    expect(await over()).toBe(true)
    expect(errors).toMatchObject([{ code: 'TOO_LARGE', details: { limit: MAX_MESSAGE_BYTES } }])
  })

  it('wait for whoever wants to see one first', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { ask, came, over } = await lineOf((message) => ('id' in message && message.id === 1 ? promise : undefined))
    ask(1)
    ask(2)
    await over()
    expect(came).toMatchObject([{ id: 2 }])
    resolve()
    await over()
    expect(came).toMatchObject([{ id: 2 }, { id: 1 }])
  })
})
