import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { databasesOf, SERVING } from '../servers/database.ts'
import { send, startTarget, type Target } from './target.ts'

/** Texts with a meaning for a database or its text search. */
const SYNTAX = [
  '"',
  '""',
  "'",
  "'; drop table events; --",
  "' or '1'='1",
  'secret*',
  '*',
  'NEAR(secret ada, 5)',
  'NEAR(',
  'secret AND',
  'OR NOT AND',
  'content:secret',
  '{content user}: secret',
  '-secret',
  '^secret',
  'secret + +',
  '(((',
  ')',
  ':',
  '%',
  '_',
  '\\',
  'a & b | !c <-> d:*',
  '$1',
  '?1',
  '\u0001',
  '🦄'.repeat(100),
  '\u202e',
  'x'.repeat(60_000),
  '" '.repeat(5000),
]

const [postgres] = inject('postgres')

const stores = {
  memory: async () => ({ url: 'memory:', destroy: async () => {} }),
  SQLite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-'))
    return { url: `sqlite:${join(folder, 'a.db')}`, destroy: async () => rmSync(folder, { recursive: true }) }
  },
  Postgres: async () => {
    const databases = await databasesOf(postgres?.url ?? '')
    const database = await databases.recycled()
    const destroy = async () => {
      await database.destroy()
      await databases.close()
    }
    return { url: database.url(SERVING), destroy }
  },
}

describe.each(Object.entries(stores))('on %s', (_name, start) => {
  let target: Target
  let destroy: () => Promise<void>
  beforeAll(async () => {
    const place = await start()
    destroy = place.destroy
    target = await startTarget({ url: place.url })
  })
  afterAll(async () => {
    await target.server.close()
    await destroy()
  })

  const ask = (method: string, path: string, body?: unknown) =>
    send(target.url, method, path, { token: target.tokens.ada, body })

  it('plain words find Ada’s content, and nothing of others', async () => {
    const { body } = await ask('POST', '/v1/recall', { userId: 'ada', query: 'secret' })
    expect((body as { items: { content: string }[] }).items.map(({ content }) => content)).toContain('secret of ada')
  })

  it.each(SYNTAX.map((query) => [query.slice(0, 40), query]))(
    'the query %j finds nothing of others',
    async (_start, query) => {
      await target.harmless(async () => {
        const context = { maxTokens: 1000, record: false, recall: { query } }
        const answers = [
          await ask('POST', '/v1/recall', { userId: 'ada', query }),
          await ask('POST', '/v1/memories/search', { userId: 'ada', query, record: false }),
          await ask('POST', `/v1/sessions/${target.sessions.ada}/context`, context),
        ]
        for (const { status, text } of answers) {
          expect([status, text.slice(0, 200)]).toEqual([200, expect.any(String)])
          expect(text).not.toMatch(/of (eve|bob)/)
        }
      })
    },
  )

  it.each(["x'; drop table events; --", 'x" or "1"="1', 'x\\', 'x%', 'x_', '$1', 'null'])(
    'the name %j is only a name',
    async (name) => {
      await target.harmless(async () => {
        const encoded = encodeURIComponent(name)
        expect((await ask('GET', `/v1/sessions?userId=ada&chatmode=${encoded}&agent=${encoded}`)).body).toEqual({
          items: [],
        })
        expect((await ask('GET', `/v1/conversations/${encoded}/commits`)).body).toEqual({ items: [] })
        expect((await ask('GET', `/v1/sessions/active?userId=ada&chatmode=${encoded}`)).status).toBe(204)
        const events = await ask('GET', `/v1/sessions/${target.sessions.ada}/events?types=${encoded}`)
        expect(events.body).toEqual({ items: [] })
        const memories = await ask('GET', `/v1/memories/search?userId=ada&query=memory&record=false&scope=${encoded}`)
        // a memory without a scope is found in every scope
        expect([memories.status, /of (eve|bob)/.test(memories.text)]).toEqual([200, false])
        expect((await ask('GET', `/v1/memories/${encoded}`)).status).toBe(404)
      })
    },
  )
})
