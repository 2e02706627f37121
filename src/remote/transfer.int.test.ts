import { expect, it } from 'vitest'
import { operatorToken, startServer } from '../../test/servers/http.ts'
import { open } from '../open.ts'

it('brings in over small bodies what fits into them, and refuses the rest alone', async () => {
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
