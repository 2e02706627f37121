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
let buffer: ObservationBuffer

beforeEach(async () => {
  server = await startScriptedServer({})
  connection = new Connection(createTransport(server.url, undefined, { ...TIMEOUTS, wait: async () => {} }))
  buffer = new ObservationBuffer()
})
afterEach(() => server.stop())

const sent = () => server.received.map(({ body }) => JSON.parse(body))
/** Flushes the buffer of a session and returns the paths that were sent. */
async function flushed(id: string): Promise<string[]> {
  server.next(answer(204))
  await buffer.sendForSession(connection, id, CALL, {})
  return (sent().at(-1).observations ?? []).map(({ path }: { path: string }) => path)
}
const see = (id: string, scope: string, ...paths: readonly string[]) => {
  for (const path of paths) buffer.observe(id, scope).fileRead({ path })
}

describe('buffered observations', () => {
  it('are sent once, in the body of the next call of their session', async () => {
    see(A, 'one', 'a.ts', 'b.ts')
    see(B, 'one', 'c.ts')
    server.next(answer(200, { head: 2 }, unwritten({ [A]: '' })))
    expect(await buffer.sendForSession(connection, A, CALL, { question: 'Which?' })).toEqual({ head: 2 })
    const observations = ['a.ts', 'b.ts'].map((path) => ({ kind: 'fileRead', path }))
    expect(sent()).toEqual([{ question: 'Which?', observations }])
    expect(await flushed(A)).toEqual([])
    expect(await flushed(B)).toEqual(['c.ts'])
  })

  it('return to the buffer if the server did not write them, before newer ones', async () => {
    see(A, 'one', 'a.ts', 'b.ts', 'c.ts')
    server.next((response, request) => {
      see(A, 'one', 'later.ts')
      answer(400, REFUSED, unwritten({ [A]: '0,2' }))(response, request)
    })
    await expect(buffer.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ field: 'question' })
    expect(await flushed(A)).toEqual(['a.ts', 'c.ts', 'later.ts'])
  })

  it('are not sent again if the server wrote them although the call failed', async () => {
    see(A, 'one', 'a.ts')
    server.next(
      answer(503, { code: 'STORAGE', detail: 'sqlite: x', details: { store: 'sqlite' } }, unwritten({ [A]: '' })),
    )
    await expect(buffer.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ code: 'STORAGE' })
    expect(await flushed(A)).toEqual([])
  })

  it('stay buffered if the outcome is unknown', async () => {
    see(A, 'one', 'a.ts')
    server.next(answer(401, { code: 'UNAUTHENTICATED', detail: 'no token', details: {} }))
    await expect(buffer.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    server.next(...Array.from({ length: 20 }, () => cut))
    await expect(buffer.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ code: 'STORAGE' })
    await expect(buffer.sendForSession(connection, A, CALL, { question: 1n })).rejects.toMatchObject({
      field: 'question',
    })
    server.next(...Array.from({ length: 20 }, () => cut))
    await server.stop()
    await expect(buffer.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ code: 'STORAGE' })
    server = await startScriptedServer({})
    connection = new Connection(createTransport(server.url, undefined, TIMEOUTS))
    expect(await flushed(A)).toEqual(['a.ts'])
  })

  it('of all sessions in a scope are sent with its messages, and of no other scope', async () => {
    see(A, 'one', 'a.ts')
    see(B, 'one', 'b.ts', 'b2.ts')
    see(C, 'two', 'c.ts')
    server.next(answer(200, {}, unwritten({ [A]: '0', [B]: '1' })))
    await buffer.sendForScope(connection, 'one', CALL, { message: 'hello' })
    const [{ message, observations }] = sent()
    expect([message, Object.keys(observations).toSorted()]).toEqual(['hello', [A, B]])
    expect(await flushed(A)).toEqual(['a.ts'])
    expect(await flushed(B)).toEqual(['b2.ts'])
    expect(await flushed(C)).toEqual(['c.ts'])
    server.next(answer(200, {}))
    await buffer.sendForScope(connection, 'one', CALL, { message: 'again' })
    expect(sent().at(-1)).toEqual({ message: 'again' })
  })

  it('are identified by the server as indexes and ranges', async () => {
    see(A, 'one', ...Array.from({ length: 8 }, (_, i) => `${i}.ts`))
    server.next(answer(400, REFUSED, unwritten({ [A]: '0-2,5,7-99999999999' })))
    await expect(buffer.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ field: 'question' })
    expect(await flushed(A)).toEqual(['0.ts', '1.ts', '2.ts', '5.ts', '7.ts'])
  })

  it('are validated at once', () => {
    expect(() => buffer.observe(A, 'one').note('')).toThrow(expect.objectContaining({ code: 'VALIDATION' }))
  })
})

/** A turn that responds when released. */
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

describe('observations in flight', () => {
  it.each([
    ['a call of their session', () => buffer.sendForSession(connection, A, CALL, {}), (body: never) => body],
    ['a message of their scope', () => buffer.sendForScope(connection, 'one', CALL, {}), (body: never) => body[A]],
  ])('delay %s, which then sends what was not written', async (_, next, of) => {
    for (const first of [
      () => buffer.sendForSession(connection, A, CALL, {}),
      () => buffer.sendForScope(connection, 'one', CALL, {}),
    ]) {
      see(A, 'one', 'a.ts', 'b.ts')
      const { turn, arrived, release } = held()
      server.next(turn)
      const before = first()
      await arrived
      see(A, 'one', 'later.ts')
      const after = next()
      // another session does not wait; once its call has arrived, the delayed one would have too
      server.next(answer(200, {}))
      await buffer.sendForSession(connection, B, CALL, { question: 'of another' })
      expect(sent().at(-1)).toEqual({ question: 'of another' })
      server.next(answer(200, {}))
      release(answer(400, REFUSED, unwritten({ [A]: '1' })))
      await expect(before).rejects.toMatchObject({ field: 'question' })
      await after
      expect(pathsOf(of(sent().at(-1).observations as never))).toEqual(['b.ts', 'later.ts'])
      expect(await flushed(A)).toEqual([])
    }
  })

  it('pass from call to call in order, until one is written', async () => {
    see(A, 'one', 'a.ts')
    const { turn, arrived, release } = held()
    server.next(turn, answer(400, REFUSED), answer(200, {}), answer(200, {}))
    const calls = [1, 2, 3, 4].map((n) => buffer.sendForSession(connection, A, { ...CALL, path: `/${n}` }, {}))
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

  it('do not delay calls when there are none', async () => {
    const [one, two] = [held(), held()]
    server.next(one.turn, two.turn)
    const calls = [buffer.sendForSession(connection, A, CALL, {}), buffer.sendForScope(connection, 'one', CALL, {})]
    await Promise.all([one.arrived, two.arrived])
    for (const { release } of [one, two]) release(answer(200, {}))
    await Promise.all(calls)
  })
})

describe('observations of a session that is over', () => {
  const problem = (code: string) => answer(409, { code, detail: 'over', details: { sessionId: A, endedAt: 'then' } })

  it('are dropped if it does not exist', async () => {
    see(A, 'one', 'a.ts')
    server.next(problem('SESSION_NOT_FOUND'))
    await expect(buffer.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    server.next(answer(200, {}))
    await buffer.sendForScope(connection, 'one', CALL, {})
    expect(sent().at(-1)).toEqual({})
    expect(await flushed(A)).toEqual([])
  })

  it('stay buffered if it has ended, as in a local store, and are sent with no other call', async () => {
    see(A, 'one', 'a.ts')
    see(B, 'one', 'b.ts')
    server.next(problem('SESSION_ENDED'), answer(200, {}))
    await expect(buffer.sendForSession(connection, A, CALL, {})).rejects.toMatchObject({ code: 'SESSION_ENDED' })
    see(A, 'one', 'later.ts')
    await buffer.sendForScope(connection, 'one', CALL, {})
    expect(Object.keys(sent().at(-1).observations)).toEqual([B])
    expect(await flushed(A)).toEqual(['a.ts', 'later.ts'])
  })
})

describe('more observations than fit into one call', () => {
  const LARGE = 'x'.repeat(LIMITS.note - 100)
  const FIT = Math.floor(LIMITS.staged / LIMITS.note)
  const note = (id: string, n: number) => buffer.observe(id, 'one').note(`${n} ${LARGE}`)
  const fill = (id: string, from: number) => {
    for (let n = from; n < from + FIT; n++) note(id, n)
  }
  const numbersIn = (list: { text: string }[] = []) => list.map(({ text }) => Number.parseInt(text, 10))
  const numbers = (from: number, length: number) => Array.from({ length }, (_, i) => from + i)

  /** Buffers enough for two calls. */
  async function overfill() {
    fill(A, 0)
    const { turn, arrived, release } = held()
    server.next(turn)
    const refused = buffer.sendForSession(connection, A, CALL, {})
    await arrived
    fill(A, FIT)
    release(answer(400, REFUSED))
    await expect(refused).rejects.toMatchObject({ field: 'question' })
  }

  it('are sent in order over several calls', async () => {
    await overfill()
    const { turn, arrived, release } = held()
    server.next(turn)
    const step = buffer.sendForSession(connection, A, CALL, {})
    await arrived
    // or the buffer would grow with each call
    expect(() => note(A, 1000)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
    release(answer(400, REFUSED, unwritten({ [A]: '0' })))
    await expect(step).rejects.toMatchObject({ field: 'question' })
    const first = sent().at(-1).observations
    expect(JSON.stringify(first).length).toBeLessThanOrEqual(LIMITS.staged + first.length + 1)
    expect(numbersIn(first)).toEqual(numbers(0, first.length))
    server.next(answer(200, {}), answer(200, {}))
    await buffer.sendForSession(connection, A, CALL, {})
    const second = sent().at(-1).observations
    expect(numbersIn(second)).toEqual([0, ...numbers(first.length, second.length - 1)])
    await buffer.sendForSession(connection, A, CALL, {})
    const all = new Set(sent().flatMap(({ observations }) => numbersIn(observations)))
    expect([...all].toSorted((a, b) => a - b)).toEqual(numbers(0, 2 * FIT))
  })

  it('start with the session observed last', async () => {
    fill(A, 0)
    fill(B, 100)
    server.next(answer(200, {}), answer(200, {}))
    await buffer.sendForScope(connection, 'one', CALL, {})
    const { [A]: ofA, [B]: ofB } = sent().at(-1).observations
    expect([numbersIn(ofA), numbersIn(ofB)]).toEqual([[], numbers(100, FIT)])
    await buffer.sendForSession(connection, A, CALL, {})
    expect(numbersIn(sent().at(-1).observations)).toEqual(numbers(0, FIT))
  })
})
