import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, type ScriptedServer, startScriptedServer, type Turn } from '../../test/servers/scripted-http.ts'
import { uuid7 } from '../ids.ts'
import { Connection } from './connection.ts'
import { remoteEnvelopes } from './operator.ts'
import { TIMEOUTS } from './retry.ts'
import { createTransport } from './transport.ts'

let server: ScriptedServer

beforeEach(async () => {
  server = await startScriptedServer({})
})
afterEach(() => server.stop())

const envelopes = () => remoteEnvelopes(new Connection(createTransport(server.url, undefined, TIMEOUTS)))

const events =
  (...all: readonly (readonly [event: string, data: unknown])[]): Turn =>
  (response) =>
    void response.end(all.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(''))

/** Reports that all but one were filled. */
const warmed = (sessions: number) =>
  events(
    ['progress', { sessions, of: 5000 }],
    ['result', { sessions, filled: sessions - 1, present: 0, unknown: 1, failed: 0 }],
  )

async function* eachOf<T>(items: readonly T[]) {
  yield* items
}

describe('envelopes.warm', () => {
  it('sends ids in batches of 1000 and adds up the reports', async () => {
    const ids = Array.from({ length: 2500 }, () => uuid7())
    for (const sessions of [ids, new Set(ids), eachOf(ids)]) {
      server.received.length = 0
      server.next(warmed(1000), warmed(1000), warmed(500))
      const seen: unknown[] = []
      const report = await envelopes().warm({ sessions, onProgress: (progress) => void seen.push(progress) })
      expect(report).toEqual({ sessions: 2500, filled: 2497, present: 0, unknown: 3, failed: 0 })
      expect(seen).toEqual([1000, 2000, 2500].map((done) => ({ sessions: done, of: 5000 })))
      expect(server.received.flatMap(({ body }) => JSON.parse(body).sessions)).toEqual(ids)
    }
  })

  it('sends one request for no ids and for all', async () => {
    server.next(warmed(1), warmed(1))
    await envelopes().warm({ sessions: [] })
    await envelopes().warm()
    expect(server.received.map(({ body }) => JSON.parse(body))).toEqual([{ sessions: [] }, {}])
  })
})

describe('envelopes.cached', () => {
  const all = async () => {
    const found: unknown[] = []
    for await (const envelope of envelopes().cached()) found.push(envelope)
    return found
  }

  it('throws if the stream ends early', async () => {
    server.next(events(['message', { session_id: 'a' }], ['message', { session_id: 'b' }], ['end', {}]))
    expect(await all()).toEqual([{ session_id: 'a' }, { session_id: 'b' }])
    server.next(events(['message', { session_id: 'a' }]))
    await expect(all()).rejects.toMatchObject({ code: 'STORAGE', details: { store: 'http' } })
    server.next(answer(502))
    await expect(all()).rejects.toMatchObject({ code: 'STORAGE' })
  })
})
