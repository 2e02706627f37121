import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Session, Throughline } from '../api.ts'
import { open } from '../open/open.ts'
import { ClaimedRuns } from './claimed-runs.ts'
import { createToolContext, type ToolContext } from './tool-context.ts'
import { TOOLS } from './tools.ts'

let tl: Throughline
let session: Session
beforeEach(async () => {
  tl = await open({ url: 'memory:', index: false, tokenizer: 'estimate' })
  session = await tl.sessions.create({ userId: 'ada' })
})
afterEach(() => tl.close())

const contextOf = (runs = new ClaimedRuns()): ToolContext =>
  createToolContext(tl.as({ tenant: 'local', userId: 'ada' }), 'ada', () => {}, { runs })

// biome-ignore lint/suspicious/noExplicitAny: each tool has a shape of its own
async function call(context: ToolContext, name: string, input: object): Promise<any> {
  const tool = TOOLS.find((one) => one.name === name)
  return (await tool?.run(context, tool.input.parse(input)))?.data
}
const say = (context: ToolContext) =>
  call(context, 'say', { sessionId: session.id, messages: [{ role: 'assistant', content: 'hello' }] })
const outcomes = async () => (await session.runs()).map(({ outcome }) => outcome)

describe('a client with a claimed session', () => {
  it('is refused once another worker has taken over, and can claim again', async () => {
    let now = Date.now()
    const clocked = await open({ url: 'memory:', index: false, tokenizer: 'estimate', clock: { now: () => now } })
    try {
      const one = await clocked.sessions.create({ userId: 'ada' })
      const context = createToolContext(clocked, 'ada', () => {}, { runs: new ClaimedRuns() })
      const speak = () =>
        call(context, 'say', { sessionId: one.id, messages: [{ role: 'assistant', content: 'hello' }] })
      await call(context, 'claim_session', {})
      now += 60_000
      const other = await one.run()
      await expect(speak()).rejects.toMatchObject({ code: 'RUN_LOST' })
      await other.finish()
      await expect(speak()).rejects.toMatchObject({ code: 'RUN_LOST' })
      expect((await call(context, 'claim_session', { sessionId: one.id })).run).toBe(3)
      await speak()
    } finally {
      await clocked.close()
    }
  })

  it('that makes no call for too long loses it: the run fails, and its writes are refused', async () => {
    const runs = new ClaimedRuns(() => {}, 200)
    const context = contextOf(runs)
    await call(context, 'claim_session', {})
    await expect.poll(outcomes).toEqual(['failed'])
    await expect(say(context)).rejects.toMatchObject({ code: 'RUN_LOST' })
    // nothing is kept for it forever
    await expect.poll(() => runs.held(session.id)).toBeUndefined()
    await say(context)
  })

  it('that disconnects leaves a failed run', async () => {
    const context = contextOf()
    await call(context, 'claim_session', {})
    await context.runs.close('gone')
    expect(await outcomes()).toEqual(['failed'])
  })

  it('finds no work where there is none', async () => {
    const context = contextOf()
    await session.end()
    expect(await call(context, 'claim_session', { waitSeconds: 1 })).toEqual({})
  })

  it('keeps nothing of a session that has ended', async () => {
    const context = contextOf()
    await call(context, 'claim_session', {})
    await session.end()
    await expect.poll(() => context.runs.held(session.id)).toBeUndefined()
  })

  it('gets the start of a result that is larger than a response', async () => {
    const context = contextOf()
    await call(context, 'claim_session', {})
    const step = { sessionId: session.id, run: 1, key: 'large' }
    const data = await call(context, 'complete_step', { ...step, result: 'x'.repeat(100_000) })
    expect(data).toMatchObject({ isRecorded: true, isClipped: true })
    expect(data.result.length).toBeLessThan(40_000)
  })

  it('holds at most twenty', async () => {
    const context = contextOf()
    await call(context, 'claim_session', {})
    for (let count = 1; count < 20; count++) {
      const { id } = await tl.sessions.create({ userId: 'ada', chatmode: `${count}` })
      await call(context, 'claim_session', { sessionId: id })
    }
    await expect(call(context, 'claim_session', {})).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })
})
