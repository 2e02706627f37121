import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../api/types.ts'
import { Outline } from '../../session/outline.ts'
import { TurnTotalsCache, totalsOf } from './turn-totals.ts'

const event = (sequence: number, type: string, seconds: number, parts?: object) =>
  ({
    sequence,
    type,
    content: 'text',
    createdAt: new Date(seconds * 1000).toISOString(),
    parts,
  }) as unknown as SessionEvent

const usage = { model: 'm', inputTokens: 1000, outputTokens: 50, cacheReadTokens: 900, costUsd: 0.25 }

function turn(): Outline {
  const outline = new Outline()
  outline.add([
    event(1, 'session_started', 0),
    event(2, 'user_message', 10),
    event(3, 'model_message', 12, { usage, toolCalls: [{ id: 'a', name: 'Bash', arguments: '{}' }] }),
    event(4, 'tool_result', 15, { toolCallId: 'a', isError: true }),
    event(5, 'model_message', 22, { usage }),
    // hours later, by somebody else
    event(6, 'x.note', 9000),
    event(7, 'user_message', 9999),
  ])
  return outline
}

describe('totals of a turn', () => {
  it('count its calls and usage, and the time until the agent was done', () => {
    const totals = totalsOf(2, turn(), 7)
    expect(totals).toMatchObject({ to: 6, calls: 1, failed: 1, ms: 12_000 })
    expect(totals?.usage).toEqual({
      messages: 2,
      inputTokens: 2000,
      outputTokens: 100,
      cacheReadTokens: 1800,
      cacheWriteTokens: 0,
      costUsd: 0.5,
    })
  })

  it('are unknown until the whole turn is loaded', () => {
    expect(totalsOf(7, turn(), 8)).toBeUndefined()
    expect(totalsOf(7, turn(), 7)).toMatchObject({ calls: 0, ms: 0 })
  })

  it('are the same object until something changes', () => {
    const outline = turn()
    const cache = new TurnTotalsCache()
    const before = cache.of(2, outline, 7)
    outline.add([event(8, 'x.tick', 9999)])
    expect(cache.of(2, outline, 8)).toBe(before)
  })
})
