import { describe, expect, it } from 'vitest'
import { inspectorFor } from './inspector.ts'

const inspector = inspectorFor()

describe('the demo', () => {
  it('plays a conversation that has something for every view, and leads to its live session', async () => {
    const { open, tl } = inspector()
    const page = await open('#/connect')
    await page.getByRole('button', { name: 'Load the demo conversation' }).click()
    await page.waitForURL(/#\/sessions\/.+/)
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
    const { items } = await tl.memories.list({ userId })
    expect(items.filter(({ supersededBy }) => supersededBy !== undefined)).toHaveLength(1)
    expect(items.some(({ lineage }) => lineage.some(({ sessionId }) => sessionId === session.id))).toBe(true)
  })
})
