import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, cut, type ScriptedServer, startScriptedServer } from '../../test/servers/scripted-http.ts'
import { Connection } from './connection.ts'
import { lineTo } from './line.ts'
import { PATIENCE } from './retry.ts'
import { Staged } from './staged.ts'

const [A, B, C] = ['session-a', 'session-b', 'session-c'] as const
const CALL = { method: 'POST', path: '/x', key: 'k' } as const
const REFUSED = { code: 'VALIDATION', detail: 'question: must not be empty', details: { field: 'question' } }
const unwritten = (left: object) => ({ 'throughline-unwritten': JSON.stringify(left) })

let server: ScriptedServer
let connection: Connection
let staged: Staged

beforeEach(async () => {
  server = await startScriptedServer({})
  connection = new Connection(lineTo(server.url, undefined, { ...PATIENCE, wait: async () => {} }))
  staged = new Staged()
})
afterEach(() => server.stop())

const sent = () => server.received.map(({ body }) => JSON.parse(body))
/** What waits for a session: the paths of files that were read. */
async function waiting(id: string): Promise<string[]> {
  server.next(answer(204))
  await staged.send(connection, id, CALL, {})
  return (sent().at(-1).observations ?? []).map(({ path }: { path: string }) => path)
}
const see = (id: string, conversation: string, ...paths: readonly string[]) => {
  for (const path of paths) staged.observe(id, conversation).fileRead({ path })
}

describe('observations', () => {
  it('go along with the next call of their session, beside the rest of its body, and once', async () => {
    see(A, 'one', 'a.ts', 'b.ts')
    see(B, 'one', 'c.ts')
    server.next(answer(200, { head: 2 }, unwritten({ [A]: [] })))
    expect(await staged.send(connection, A, CALL, { question: 'Which?' })).toEqual({ head: 2 })
    const observations = ['a.ts', 'b.ts'].map((path) => ({ kind: 'fileRead', path }))
    expect(sent()).toEqual([{ question: 'Which?', observations }])
    expect(await waiting(A)).toEqual([])
    expect(await waiting(B)).toEqual(['c.ts'])
  })

  it('wait again where the server did not write them, before what came meanwhile', async () => {
    see(A, 'one', 'a.ts', 'b.ts', 'c.ts')
    server.next((response, request) => {
      see(A, 'one', 'later.ts')
      answer(400, REFUSED, unwritten({ [A]: [0, 2] }))(response, request)
    })
    await expect(staged.send(connection, A, CALL, {})).rejects.toMatchObject({ field: 'question' })
    expect(await waiting(A)).toEqual(['a.ts', 'c.ts', 'later.ts'])
  })

  it('are written although the call failed, if the server says so', async () => {
    see(A, 'one', 'a.ts')
    server.next(
      answer(503, { code: 'STORAGE', detail: 'sqlite: x', details: { store: 'sqlite' } }, unwritten({ [A]: [] })),
    )
    await expect(staged.send(connection, A, CALL, {})).rejects.toMatchObject({ code: 'STORAGE' })
    expect(await waiting(A)).toEqual([])
  })

  it('wait where nothing is known of them', async () => {
    see(A, 'one', 'a.ts')
    server.next(answer(401, { code: 'UNAUTHENTICATED', detail: 'no token', details: {} }))
    await expect(staged.send(connection, A, CALL, {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    server.next(...Array.from({ length: 20 }, () => cut))
    await expect(staged.send(connection, A, CALL, {})).rejects.toMatchObject({ code: 'STORAGE' })
    await expect(staged.send(connection, A, CALL, { question: 1n })).rejects.toMatchObject({ field: 'question' })
    server.next(...Array.from({ length: 20 }, () => cut))
    await server.stop()
    await expect(staged.send(connection, A, CALL, {})).rejects.toMatchObject({ code: 'STORAGE' })
    server = await startScriptedServer({})
    connection = new Connection(lineTo(server.url, undefined, PATIENCE))
    expect(await waiting(A)).toEqual(['a.ts'])
  })

  it('of all sessions of a conversation go along with its messages, and of no other', async () => {
    see(A, 'one', 'a.ts')
    see(B, 'one', 'b.ts', 'b2.ts')
    see(C, 'two', 'c.ts')
    server.next(answer(200, {}, unwritten({ [A]: [0], [B]: [1] })))
    await staged.sendAll(connection, 'one', CALL, { message: 'hello' })
    const [{ message, observations }] = sent()
    expect([message, Object.keys(observations)]).toEqual(['hello', [A, B]])
    expect(await waiting(A)).toEqual(['a.ts'])
    expect(await waiting(B)).toEqual(['b2.ts'])
    expect(await waiting(C)).toEqual(['c.ts'])
    server.next(answer(200, {}))
    await staged.sendAll(connection, 'one', CALL, { message: 'again' })
    expect(sent().at(-1)).toEqual({ message: 'again' })
  })

  it('are refused at once if they are none', () => {
    expect(() => staged.observe(A, 'one').note('')).toThrow(expect.objectContaining({ code: 'VALIDATION' }))
  })
})
