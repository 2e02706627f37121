import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, cut, type ScriptedServer, startScriptedServer, type Turn } from '../../test/servers/scripted-http.ts'
import { LIMITS } from '../domain/limits.ts'
import { Connection } from './connection.ts'
import { ObservationBuffer } from './observation-buffer.ts'
import { TIMEOUTS } from './retry.ts'
import { createTransport } from './transport.ts'

const [A, B, C] = ['session-a', 'session-b', 'session-c'] as const
const CALL = { method: 'POST', path: '/x', key: 'k' } as const
const REFUSED = { code: 'VALIDATION', detail: 'question: must not be empty', details: { field: 'question' } }
const unwritten = (left: object) => ({ 'throughline-unwritten': JSON.stringify(left) })

let server: ScriptedServer
let connection: Connection
let staged: ObservationBuffer

beforeEach(async () => {
  server = await startScriptedServer({})
  connection = new Connection(createTransport(server.url, undefined, { ...TIMEOUTS, wait: async () => {} }))
  staged = new ObservationBuffer()
})
afterEach(() => server.stop())

const sent = () => server.received.map(({ body }) => JSON.parse(body))
/** What waits for a session: the paths of files that were read. */
async function waiting(id: string): Promise<string[]> {
  server.next(answer(204))
  await staged.sendForSession(connection, id, CALL, {})
  return (sent().at(-1).observations ?? []).map(({ path }: { path: string }) => path)
}
const see = (id: string, scope: string, ...paths: readonly string[]) => {
  for (const path of paths) staged.observe(id, scope).fileRead({ path })
}

describe('observations', () => {
  it('go along with the next call of their session, beside the rest of its body, and once', async () => {
    see(A, 'one', 'a.ts', 'b.ts')
    see(B, 'one', 'c.ts')
    server.next(answer(200, { head: 2 }, unwritten({ [A]: '' })))
    expect(await staged.sendForSession(connection, A, CALL, { question: 'Which?' })).toEqual({ head: 2 })
    const observations = ['a.ts', 'b.ts'].map((path) => ({ kind: 'fileRead', path }))
    expect(sent()).toEqual([{ question: 'Which?', observations }])
    expect(await waiting(A)).toEqual([])
    expect(await waiting(B)).toEqual(['c.ts'])
  })

  it('wait again where the server did not write them, before what came meanwhile', async () => {
    see(A, 'one', 'a.ts', 'b.ts', 'c.ts')
    server.next((response, request) => {
      see(A, 'one', 'later.ts')
      answer(400, REFUSED, unwritten({ [A]: '0,2' }))(response, request)
    })
    await expect(staged.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ field: 'question' })
    expect(await waiting(A)).toEqual(['a.ts', 'c.ts', 'later.ts'])
  })

  it('are written although the call failed, if the server says so', async () => {
    see(A, 'one', 'a.ts')
    server.next(
      answer(503, { code: 'STORAGE', detail: 'sqlite: x', details: { store: 'sqlite' } }, unwritten({ [A]: '' })),
    )
    await expect(staged.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ code: 'STORAGE' })
    expect(await waiting(A)).toEqual([])
  })

  it('wait where nothing is known of them', async () => {
    see(A, 'one', 'a.ts')
    server.next(answer(401, { code: 'UNAUTHENTICATED', detail: 'no token', details: {} }))
    await expect(staged.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    server.next(...Array.from({ length: 20 }, () => cut))
    await expect(staged.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ code: 'STORAGE' })
    await expect(staged.sendForSession(connection, A, CALL, { question: 1n })).rejects.toMatchObject({
      field: 'question',
    })
    server.next(...Array.from({ length: 20 }, () => cut))
    await server.stop()
    await expect(staged.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ code: 'STORAGE' })
    server = await startScriptedServer({})
    connection = new Connection(createTransport(server.url, undefined, TIMEOUTS))
    expect(await waiting(A)).toEqual(['a.ts'])
  })

  it('of all sessions of a scope go along with its messages, and of no other', async () => {
    see(A, 'one', 'a.ts')
    see(B, 'one', 'b.ts', 'b2.ts')
    see(C, 'two', 'c.ts')
    server.next(answer(200, {}, unwritten({ [A]: '0', [B]: '1' })))
    await staged.sendForScope(connection, 'one', CALL, { message: 'hello' })
    const [{ message, observations }] = sent()
    expect([message, Object.keys(observations).toSorted()]).toEqual(['hello', [A, B]])
    expect(await waiting(A)).toEqual(['a.ts'])
    expect(await waiting(B)).toEqual(['b2.ts'])
    expect(await waiting(C)).toEqual(['c.ts'])
    server.next(answer(200, {}))
    await staged.sendForScope(connection, 'one', CALL, { message: 'again' })
    expect(sent().at(-1)).toEqual({ message: 'again' })
  })

  it('are named by the server as places, alone or from one to another', async () => {
    see(A, 'one', ...Array.from({ length: 8 }, (_, i) => `${i}.ts`))
    server.next(answer(400, REFUSED, unwritten({ [A]: '0-2,5,7-99999999999' })))
    await expect(staged.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ field: 'question' })
    expect(await waiting(A)).toEqual(['0.ts', '1.ts', '2.ts', '5.ts', '7.ts'])
  })

  it('are refused at once if they are none', () => {
    expect(() => staged.observe(A, 'one').note('')).toThrow(expect.objectContaining({ code: 'VALIDATION' }))
  })
})

/** A turn that answers when it is told to. */
function held() {
  const arrived = Promise.withResolvers<void>()
  let respond = (_turn: Turn) => {}
  const turn: Turn = (response, request) => {
    respond = (then) => then(response, request)
    arrived.resolve()
  }
  return { turn, arrived: arrived.promise, release: (then: Turn) => respond(then) }
}
const pathsOf = (observations: { path: string }[] = []) => observations.map(({ path }) => path)

describe('observations on their way', () => {
  it.each([
    ['a step of their session', () => staged.sendForSession(connection, A, CALL, {}), (body: never) => body],
    ['a message of their scope', () => staged.sendForScope(connection, 'one', CALL, {}), (body: never) => body[A]],
  ])('are waited for by %s, which takes what was not written', async (_, next, of) => {
    for (const first of [
      () => staged.sendForSession(connection, A, CALL, {}),
      () => staged.sendForScope(connection, 'one', CALL, {}),
    ]) {
      see(A, 'one', 'a.ts', 'b.ts')
      const { turn, arrived, release } = held()
      server.next(turn)
      const before = first()
      await arrived
      see(A, 'one', 'later.ts')
      const after = next()
      // what belongs to others does not wait: once this has come the other would have, too
      server.next(answer(200, {}))
      await staged.sendForSession(connection, B, CALL, { question: 'of another' })
      expect(sent().at(-1)).toEqual({ question: 'of another' })
      server.next(answer(200, {}))
      release(answer(400, REFUSED, unwritten({ [A]: '1' })))
      await expect(before).rejects.toMatchObject({ field: 'question' })
      await after
      expect(pathsOf(of(sent().at(-1).observations as never))).toEqual(['b.ts', 'later.ts'])
      expect(await waiting(A)).toEqual([])
    }
  })

  it('are waited for in the order of the calls, each of which takes what is left', async () => {
    see(A, 'one', 'a.ts')
    const { turn, arrived, release } = held()
    server.next(turn, answer(400, REFUSED), answer(200, {}), answer(200, {}))
    const calls = [1, 2, 3, 4].map((n) => staged.sendForSession(connection, A, { ...CALL, path: `/${n}` }, {}))
    const all = Promise.allSettled(calls)
    await arrived
    release(answer(400, REFUSED))
    await all
    expect(server.received.map(({ url, body }) => [url, pathsOf(JSON.parse(body).observations)])).toEqual([
      ['/v1/1', ['a.ts']],
      ['/v1/2', ['a.ts']],
      ['/v1/3', ['a.ts']],
      ['/v1/4', []],
    ])
  })

  it('keep nobody waiting where there are none', async () => {
    const [one, two] = [held(), held()]
    server.next(one.turn, two.turn)
    const calls = [staged.sendForSession(connection, A, CALL, {}), staged.sendForScope(connection, 'one', CALL, {})]
    await Promise.all([one.arrived, two.arrived])
    for (const { release } of [one, two]) release(answer(200, {}))
    await Promise.all(calls)
  })
})

describe('observations of a session', () => {
  const problem = (code: string) => answer(409, { code, detail: 'over', details: { sessionId: A, endedAt: 'then' } })

  it('that does not exist are dropped', async () => {
    see(A, 'one', 'a.ts')
    server.next(problem('SESSION_NOT_FOUND'))
    await expect(staged.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    server.next(answer(200, {}))
    await staged.sendForScope(connection, 'one', CALL, {})
    expect(sent().at(-1)).toEqual({})
    expect(await waiting(A)).toEqual([])
  })

  it('that has ended wait on as they do without a server, and burden no other call', async () => {
    see(A, 'one', 'a.ts')
    see(B, 'one', 'b.ts')
    server.next(problem('SESSION_ENDED'), answer(200, {}))
    await expect(staged.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ code: 'SESSION_ENDED' })
    see(A, 'one', 'later.ts')
    await staged.sendForScope(connection, 'one', CALL, {})
    expect(Object.keys(sent().at(-1).observations)).toEqual([B])
    expect(await waiting(A)).toEqual(['a.ts', 'later.ts'])
  })
})

describe('observations that are more than one call may carry', () => {
  const LARGE = 'x'.repeat(LIMITS.note - 100)
  const FIT = Math.floor(LIMITS.staged / LIMITS.note)
  const note = (id: string, n: number) => staged.observe(id, 'one').note(`${n} ${LARGE}`)
  const fill = (id: string, from: number) => {
    for (let n = from; n < from + FIT; n++) note(id, n)
  }
  const numbersIn = (list: { text: string }[] = []) => list.map(({ text }) => Number.parseInt(text, 10))
  const numbers = (from: number, length: number) => Array.from({ length }, (_, i) => from + i)

  /** Two calls' worth of them. */
  async function overfill() {
    fill(A, 0)
    const { turn, arrived, release } = held()
    server.next(turn)
    const refused = staged.sendForSession(connection, A, CALL, {})
    await arrived
    fill(A, FIT)
    release(answer(400, REFUSED))
    await expect(refused).rejects.toMatchObject({ field: 'question' })
  }

  it('go with one after the other, in their order', async () => {
    await overfill()
    const { turn, arrived, release } = held()
    server.next(turn)
    const step = staged.sendForSession(connection, A, CALL, {})
    await arrived
    // so that they do not become more and more
    expect(() => note(A, 1000)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
    release(answer(400, REFUSED, unwritten({ [A]: '0' })))
    await expect(step).rejects.toMatchObject({ field: 'question' })
    const first = sent().at(-1).observations
    expect(JSON.stringify(first).length).toBeLessThanOrEqual(LIMITS.staged + first.length + 1)
    expect(numbersIn(first)).toEqual(numbers(0, first.length))
    server.next(answer(200, {}), answer(200, {}))
    await staged.sendForSession(connection, A, CALL, {})
    const second = sent().at(-1).observations
    expect(numbersIn(second)).toEqual([0, ...numbers(first.length, second.length - 1)])
    await staged.sendForSession(connection, A, CALL, {})
    const all = new Set(sent().flatMap(({ observations }) => numbersIn(observations)))
    expect([...all].toSorted((a, b) => a - b)).toEqual(numbers(0, 2 * FIT))
  })

  it('give way to those of the session that was observed last', async () => {
    fill(A, 0)
    fill(B, 100)
    server.next(answer(200, {}), answer(200, {}))
    await staged.sendForScope(connection, 'one', CALL, {})
    const { [A]: ofA, [B]: ofB } = sent().at(-1).observations
    expect([numbersIn(ofA), numbersIn(ofB)]).toEqual([[], numbers(100, FIT)])
    await staged.sendForSession(connection, A, CALL, {})
    expect(numbersIn(sent().at(-1).observations)).toEqual(numbers(0, FIT))
  })
})
