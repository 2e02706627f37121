import { describe, expect, it } from 'vitest'
import { connectorsOf, type LaneEvent, lanesOf } from './lanes.ts'
import type { Switch } from './switches.ts'

const act = (sequence: number, type: string, given: Partial<LaneEvent> = {}): LaneEvent => ({
  sequence,
  type,
  at: '2026-01-01T00:00:00.000Z',
  isUser: type === 'user_message',
  agent: undefined,
  isWork: type === 'model_message',
  ...given,
})

const spans = [
  { agent: 'a', from: 1, to: 5 },
  { agent: 'b', from: 5, to: 8 },
]

describe('lanes', () => {
  it('hold the events of each agent; those without an agent count for the active one', () => {
    const acts = [
      act(2, 'user_message'),
      act(3, 'model_message'),
      act(4, 'model_message', { agent: 'helper' }),
      act(6, 'user_message'),
      act(7, 'model_message'),
      act(8, 'system_event'),
    ]
    const { lanes, leftOut } = lanesOf(spans, acts, 10)
    expect(leftOut).toBe(0)
    expect(lanes.map(({ agent, events, turns }) => [agent, events, turns])).toEqual([
      [undefined, 2, 0],
      ['a', 1, 1],
      ['b', 1, 1],
      ['helper', 1, 0],
    ])
    expect(lanes[1]?.share).toBe(0.5)
  })

  it('count a turn for each agent that was active in it', () => {
    const acts = [act(2, 'user_message'), act(3, 'model_message'), act(6, 'model_message'), act(7, 'user_message')]
    const { lanes } = lanesOf(spans, acts, 10)
    expect(lanes.map(({ turns }) => turns)).toEqual([0, 1, 2])
    // before the first message the first turn has begun already
    expect(lanesOf(spans, [act(1, 'system_event'), act(2, 'user_message')], 10).lanes[1]?.turns).toBe(1)
  })

  it('are no more than requested, and connectors join only those', () => {
    const many = Array.from({ length: 300 }, (_, i) => ({ agent: `agent ${i}`, from: i + 1, to: i + 2 }))
    const { lanes, leftOut } = lanesOf(many, [], 100)
    expect([lanes.length, leftOut]).toEqual([100, 201])
    const made = (from: string, to: string) => ({ from, to }) as Switch
    expect(lanes.slice(0, 2).map(({ agent }) => agent)).toEqual([undefined, 'agent 201'])
    const switches = [made('agent 201', 'agent 202'), made('agent 202', 'agent 0'), made('agent 202', 'agent 203')]
    expect(connectorsOf(lanes, switches, 10).map(({ from, to }) => [from, to])).toEqual([
      [1, 2],
      [2, 3],
    ])
    expect(connectorsOf(lanes, switches, 1)).toHaveLength(1)
  })
})
