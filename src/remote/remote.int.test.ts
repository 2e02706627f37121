import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startFaultyNetwork } from '../../test/servers/faulty-network.ts'
import { operatorToken, startServer, tokenOf } from '../../test/servers/http.ts'
import type { Throughline } from '../api.ts'
import { open } from '../open.ts'
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

describe('a client', () => {
  it('sees what its token allows, and never more', async () => {
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
    'takes names such as %j in paths, queries and headers',
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

  it.each(['.', '..'])('refuses %j where it would stand in a path', async (name) => {
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

  it('does not take the types of a query for others', async () => {
    await expect(tl.sessions.list({ userId: 7 as never })).rejects.toMatchObject({ field: 'userId' })
    await expect(tl.sessions.list({ limit: '7' as never })).rejects.toMatchObject({ field: 'limit' })
    const search = { userId: 'ada', query: 'x' }
    await expect(tl.memories.search({ ...search, record: 'false' as never })).rejects.toMatchObject({ field: 'record' })
    const session = await tl.sessions.create({ userId: '7' })
    expect((await tl.sessions.list({ userId: '7' })).items).toHaveLength(1)
    await expect(session.at('1' as never)).rejects.toMatchObject({ field: 'sequence' })
  })

  it('follows and writes through a restart of the server', async () => {
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

  it('writes once what it had to send twice, since the answer was lost', async () => {
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

  it('closes when what it had accepted is written', async () => {
    const session = await tl.sessions.create({ userId: 'ada' })
    const writing = Promise.all(Array.from({ length: 20 }, () => session.append(hello)))
    await tl.close()
    await writing
    expect(await (await server.tl.sessions.get(session.id)).record()).toMatchObject({ head: 21 })
    await expect(session.append(hello)).rejects.toThrow('http: the connection is closed')
  })

  it('says that there is no cache, whatever is to be warmed', async () => {
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
