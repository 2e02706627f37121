import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startFaultyNetwork } from '../../test/servers/faulty-network.ts'
import { operatorToken, startServer, tokenOf } from '../../test/servers/http.ts'
import type { Session, Throughline } from '../api.ts'
import type { MessageIntent } from '../domain/classify.ts'
import { open } from '../open/open.ts'
import type { Server } from '../serve.ts'

const hello = { type: 'user_message', content: 'hello' } as const

let folder: string
let server: Server
let token: string
let tl: Throughline

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  server = await startServer({ url: `sqlite:${join(folder, 'sessions.db')}` })
  token = await operatorToken()
  tl = await open({ url: server.url, token })
})
afterEach(async () => {
  await tl.close()
  await server.close()
  await rm(folder, { recursive: true })
})

/** A server that classifies no message until told to, and a client of it. */
async function startSlowClassifier() {
  const released = Promise.withResolvers<void>()
  const classifying = Promise.withResolvers<void>()
  const slow = await startServer({
    url: 'memory:',
    async classify(): Promise<MessageIntent> {
      classifying.resolve()
      await released.promise
      return 'response'
    },
  })
  const far = await open({ url: slow.url, token })
  const stop = async () => {
    await far.close()
    await slow.close()
  }
  return { far, classifying: classifying.promise, release: released.resolve, stop }
}

async function notesOf(session: Session): Promise<(string | undefined)[]> {
  const works = await session.events({ types: ['work_committed'] })
  const observations = works.flatMap(({ parts }) => (parts as { observations: { text?: string }[] }).observations)
  return observations.map(({ text }) => text)
}

describe('the remote client', () => {
  it('sees what its token allows and nothing else', async () => {
    const ada = await open({ url: server.url, token: await tokenOf({ tenant: 'acme', sub: 'ada' }) })
    expect(ada.principal).toMatchObject({ tenant: 'acme', userId: 'ada' })
    expect(tl.principal).toBeUndefined()
    const session = await ada.sessions.create({ userId: 'ada' })
    expect((await tl.as({ tenant: 'acme' }).sessions.list()).items.map(({ id }) => id)).toEqual([session.id])
    expect(() => ada.as({ tenant: 'acme', userId: 'bob' })).toThrow(expect.objectContaining({ field: 'userId' }))
    await expect(tl.as({ tenant: 'other' }).sessions.get(session.id)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    })
    await expect(open({ url: server.url })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    await ada.close()
  })

  it.each(['a/b', 'ü 中 %2F', '?#&=+', '...', '%', "' --"])(
    'accepts %j in paths, queries and headers',
    async (name) => {
      const scope = { userId: name, chatmode: name, tenant: name }
      const { session } = await tl.conversations.handle(
        name,
        { ...scope, message: 'Add retries' },
        { idempotencyKey: name },
      )
      const same = await tl.conversations.handle(name, { ...scope, message: 'Add retries' }, { idempotencyKey: name })
      expect(same.session?.id).toBe(session?.id)
      const record = await session?.record()
      expect(record).toMatchObject({ ...scope, conversationId: name })
      expect((await tl.sessions.active({ ...scope, conversationId: name }))?.id).toBe(session?.id)
      await session?.abort(name)
      expect((await tl.as({ tenant: name, userId: name }).conversations.commits(name)).items).toHaveLength(1)
      expect((await tl.users.purge(name, { tenant: name })).sessions).toBe(1)
    },
  )

  it.each(['.', '..'])('rejects %j in a path', async (name) => {
    const ada = { userId: 'ada' }
    await expect(tl.users.purge(name)).rejects.toMatchObject({ code: 'VALIDATION', field: 'userId' })
    for (const call of [
      () => tl.conversations.handle(name, { ...ada, message: 'hello' }),
      () => tl.conversations.resume(name, ada),
      () => tl.conversations.commits(name),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'VALIDATION', field: 'conversationId' })
    }
  })

  it('checks the types of query values', async () => {
    await expect(tl.sessions.list({ userId: 7 as never })).rejects.toMatchObject({ field: 'userId' })
    await expect(tl.sessions.list({ limit: '7' as never })).rejects.toMatchObject({ field: 'limit' })
    const search = { userId: 'ada', query: 'x' }
    await expect(tl.memories.search({ ...search, record: 'false' as never })).rejects.toMatchObject({ field: 'record' })
    const session = await tl.sessions.create({ userId: '7' })
    expect((await tl.sessions.list({ userId: '7' })).items).toHaveLength(1)
    await expect(session.at('1' as never)).rejects.toMatchObject({ field: 'sequence' })
  })

  it('keeps following and writing while the server restarts', async () => {
    const session = await tl.sessions.create({ userId: 'ada' })
    const seen: number[] = []
    const following = (async () => {
      for await (const { sequence } of session.tail()) {
        seen.push(sequence)
        if (sequence === 4) return
      }
    })()
    await session.append(hello)
    const port = Number(new URL(server.url).port)
    await server.close()
    const late = session.append(hello)
    server = await startServer({ url: `sqlite:${join(folder, 'sessions.db')}`, port })
    expect((await late).map(({ sequence }) => sequence)).toEqual([3])
    await session.append(hello)
    await following
    expect(seen).toEqual([1, 2, 3, 4])
  })

  it('writes once when a lost response makes it send twice', async () => {
    const network = await startFaultyNetwork(Number(new URL(server.url).port))
    const far = await open({ url: `http://127.0.0.1:${network.port}`, token })
    const lost = async <T>(call: () => Promise<T>): Promise<T> => {
      const cut = network.cutAt('reply', 1)
      const result = await call()
      await cut
      return result
    }
    const session = await lost(() => far.sessions.create({ userId: 'ada' }))
    expect((await tl.sessions.list()).items).toHaveLength(1)
    session.observe.note('Decision: retry')
    expect((await lost(() => session.ask('Which?'))).head).toBe((await session.record()).head)
    expect(await session.events({ types: ['work_committed'] })).toHaveLength(1)
    expect(await session.flushStep()).toBeUndefined()
    expect(await lost(() => session.append(hello))).toHaveLength(1)
    expect(await session.events({ types: ['user_message'] })).toHaveLength(1)
    const fork = await lost(() => session.fork())
    expect((await tl.sessions.list()).items.map(({ id }) => id).toSorted()).toEqual([session.id, fork.id].toSorted())
    expect((await lost(() => far.memories.remember({ userId: 'ada', content: 'Likes tea' }))).outcome).toBe('created')
    await far.close()
    await network.stop()
  })

  it('loses no observation when a step runs while a message is classified', async () => {
    const { far, classifying, release, stop } = await startSlowClassifier()
    const session = await far.sessions.create({ userId: 'ada', conversationId: 'c' })
    session.observe.note('Decision: retry')
    const handled = far.conversations.handle('c', { userId: 'ada', message: 'Take Postgres for it' })
    await classifying
    const ended = session.end()
    for (let i = 0; i < 20; i++) expect((await session.record()).endedAt).toBeUndefined()
    release()
    await Promise.all([handled, ended])
    expect((await notesOf(session)).filter((text) => text === 'Decision: retry')).toHaveLength(1)
    await stop()
  })

  it('keeps observations of equally named conversations apart', async () => {
    const { far, classifying, release, stop } = await startSlowClassifier()
    const working = async (tenant: string, userId: string, chatmode = 'default') => {
      const narrowed = far.as({ tenant, userId })
      const session = await narrowed.sessions.create({ userId, chatmode, conversationId: 'c' })
      session.observe.note(`of ${userId} in ${tenant}`)
      return { narrowed, session }
    }
    const { narrowed, session } = await working('acme', 'ada')
    const others = [await working('acme', 'bob'), await working('globex', 'ada'), await working('acme', 'ada', 'other')]
    const handled = narrowed.conversations.handle('c', { userId: 'ada', message: 'Take Postgres for it' })
    await classifying
    for (const other of others) expect((await other.session.flushStep())?.observations).toHaveLength(1)
    release()
    await handled
    expect(await session.flushStep()).toBeUndefined()
    expect((await notesOf(session)).filter((text) => text?.startsWith('of '))).toEqual(['of ada in acme'])
    await stop()
  })

  it('keeps thousands of unwritten observations', async () => {
    const session = await tl.sessions.create({ userId: 'ada' })
    for (let i = 0; i < 20_000; i++) session.observe.fileRead({ path: `src/${i}.ts` })
    await expect(session.confirm()).rejects.toMatchObject({ code: 'INVALID_TRANSITION' })
    expect((await session.flushStep())?.observations).toHaveLength(20_000)
  })

  it('writes accepted calls before it closes', async () => {
    const session = await tl.sessions.create({ userId: 'ada' })
    const writing = Promise.all(Array.from({ length: 20 }, () => session.append(hello)))
    await tl.close()
    await writing
    expect(await (await server.tl.sessions.get(session.id)).record()).toMatchObject({ head: 21 })
    await expect(session.append(hello)).rejects.toThrow(/closed/)
  })

  it('reports a missing cache for every cache call', async () => {
    for (const call of [
      () => tl.envelopes.warm(),
      () => tl.envelopes.warm({ sessions: [] }),
      () => tl.envelopes.cached()[Symbol.asyncIterator]().next(),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'VALIDATION', field: 'cache' })
    }
    await expect(tl.envelopes.warm({ sessions: ['x'] })).rejects.toMatchObject({ field: 'sessions' })
  })
})
