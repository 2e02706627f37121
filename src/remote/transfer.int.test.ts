import { expect, it } from 'vitest'
import { operatorToken, startServer } from '../../test/servers/http.ts'
import type { SessionBlock } from '../api.ts'
import { open } from '../open/open.ts'

it('imports blocks that fit a small body limit and refuses only the others', async () => {
  const limits = { body: 20_000 }
  const server = await startServer({ url: 'memory:', limits, index: false })
  const [there, here] = [await open({ url: server.url, token: await operatorToken() }), await open('memory:')]
  try {
    const ids: string[] = []
    for (const size of [9000, 9000, 30_000, 9000]) {
      const session = await here.sessions.create({ userId: 'ada' })
      await session.append({ type: 'user_message', content: 'x'.repeat(size) })
      ids.push(session.id)
    }
    const report = await there.import(here.export())
    expect(report).toMatchObject({ sessions: 3, created: 3, refused: [{ sessionId: ids[2], code: 'TOO_LARGE' }] })
    const exported: string[] = []
    for await (const { sessionId } of there.export()) exported.push(sessionId)
    expect(exported).toEqual(ids.filter((id) => id !== ids[2]).toSorted())
  } finally {
    await there.close()
    await here.close()
    await server.close()
  }
})

it('refuses only blocks that cannot be encoded, as a local store does', async () => {
  const server = await startServer({ url: 'memory:', index: false })
  const there = await open({ url: server.url, token: await operatorToken() })
  const here = await open('memory:')
  const local = await open('memory:')
  try {
    const blocks: SessionBlock[] = []
    for (let n = 0; n < 6; n++) await here.sessions.create({ userId: 'ada' })
    for await (const block of here.export()) blocks.push(block)
    const circle: unknown[] = []
    circle.push(circle)
    const bad = [{ a: Number.NaN }, circle, { a: 1n }, undefined, ['\ud800']]
    const tried = blocks.map((block, i) => ({
      ...block,
      events: block.events.map((event) => ({ ...event, ...(i < bad.length && { parts: bad[i] as never }) })),
    }))
    const report = await there.import(tried)
    expect(report).toMatchObject({ sessions: 1, created: 1 })
    expect(report.refused.map(({ sessionId, code }) => [sessionId, code])).toEqual(
      blocks.slice(0, 5).map(({ sessionId }) => [sessionId, 'VALIDATION']),
    )
    expect(report.refused[0]?.message).toContain('events[0].parts.a: ')
    expect(await local.import(tried)).toMatchObject({ sessions: 1, refused: [{}, {}, {}, {}, {}] })
    // an error of the call itself is not blamed on a block
    const user = there.as({ tenant: 'local', userId: 'ada' })
    await expect(user.import(tried)).rejects.toMatchObject({ code: 'VALIDATION', field: 'principal' })
  } finally {
    for (const each of [there, here, local, server]) await each.close()
  }
})
