import { describe, expect, it } from 'vitest'
import { axeFindings, inspectorFor, NARROW, sticksOut } from './inspector.ts'

const inspector = inspectorFor({ durability: 'relaxed' })

describe('an empty server', () => {
  it('shows how to connect an agent; a first session appears by itself', async () => {
    const { open, tl, url } = inspector()
    const page = await open('', { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor()
    for (const [name, text] of [
      ['TypeScript', `open('${url}')`],
      ['curl', `${url}/v1/conversations/`],
      ['Claude Code', `${url}/mcp`],
      ['MCP', `${url}/mcp`],
      ['Command line', `THROUGHLINE_URL=${url}`],
    ] as const) {
      const copy = page.getByRole('button', { name: `Copy the code for ${name}` })
      await copy.focus()
      await page.keyboard.press('Enter')
      await copy.getByText('copied').waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(text)
    }
    expect(await axeFindings(page)).toEqual([])
    const narrow = await open('#/connect', { viewport: NARROW, colorScheme: 'dark' })
    await narrow.getByRole('heading', { name: 'Connect an agent' }).waitFor()
    expect(await narrow.getByRole('heading').evaluateAll((all) => all.map(({ tagName }) => tagName).join(' '))).toMatch(
      /^H1 H2 (H3 )+H2$/,
    )
    expect(await sticksOut(narrow)).toBe(false)
    expect(await axeFindings(narrow)).toEqual([])

    const first = await tl.sessions.create({ userId: 'ada', task: 'The very first' })
    await page.getByRole('link', { name: 'The very first' }).waitFor()
    await tl.sessions.purge(first.id)
  })
})

describe('the demo', () => {
  it('shows a failure half way, and continues without doing anything twice', async () => {
    const { open, tl, allow } = inspector()
    allow(/ERR_FAILED/)
    const page = await open('')
    await page.route('**/v1/conversations/*/messages', (route) => route.abort())
    await page.getByRole('button', { name: 'Load the demo conversation' }).click()
    await page.getByRole('alert').filter({ hasText: 'UNREACHABLE' }).waitFor()
    expect(page.url()).not.toContain('/sessions/')
    const before = (await tl.sessions.list()).items
    expect(before.map(({ status }) => status.state)).toEqual(['awaiting_user', 'running', 'aborted'])
    await page.unroute('**/v1/conversations/*/messages')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.waitForURL(/#\/sessions\/.+/, { timeout: 50_000 })
    const after = (await tl.sessions.list()).items
    expect(after.map(({ status }) => status.state)).toEqual(['awaiting_user', 'complete', 'running', 'aborted'])
    expect(after.slice(2).map(({ head }) => head)).toEqual(before.slice(1).map(({ head }) => head))
  })

  it('plays a conversation with content for every view, and opens its live session', async () => {
    const { open, tl } = inspector()
    const page = await open('#/connect')
    await page.getByRole('button', { name: 'Load the demo conversation' }).click()
    await page.waitForURL(/#\/sessions\/.+/, { timeout: 50_000 })
    const session = await tl.sessions.get(/sessions\/([^/]+)/.exec(page.url())?.[1] ?? '')
    const { status, turns, conversationId, userId } = await session.record()
    expect(status.state).toBe('awaiting_user')
    expect(turns).toBeGreaterThan(11)
    const types = new Set((await session.events({ limit: 500 })).map(({ type }) => type))
    expect([...types].toSorted()).toEqual([
      'agent_transition',
      'context_summarized',
      'envelope_updated',
      'handoff_taken',
      'memory_recall',
      'model_message',
      'session_started',
      'state_changed',
      'status_changed',
      'tool_call',
      'tool_result',
      'user_message',
      'validation_gate',
      'work_committed',
      'x.deployment',
    ])
    expect((await session.recent()).dangling).toEqual(['ship-2'])
    expect((await session.graph({ depth: 3 })).edges.length).toBeGreaterThan(20)
    expect((await tl.conversations.commits(conversationId)).items).toHaveLength(1)
    const all = (await tl.memories.list({ userId })).items
    const items = all.filter(({ scope }) => scope === conversationId)
    expect(items.filter(({ supersededBy }) => supersededBy !== undefined)).toHaveLength(1)
    expect(items.some(({ lineage }) => lineage.some(({ sessionId }) => sessionId === session.id))).toBe(true)
  })
})
