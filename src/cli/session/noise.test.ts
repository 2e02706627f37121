import { expect, it } from 'vitest'
import type { SessionEvent } from '../../domain/event.ts'
import { formatGroup } from './event-text.ts'
import { groupNoise } from './noise.ts'
import type { EventWithCalls } from './tool-calls.ts'

const entry = (sequence: number, type: string, content = ''): EventWithCalls => ({
  event: { id: 'e', sessionId: 's', sequence, type, role: 'system', content, createdAt: '' } as SessionEvent,
  calls: [],
})

const style = { width: 120, full: false, paint: (_style: unknown, text: string) => text }

const log = [
  entry(1, 'x.a.progress'),
  entry(2, 'user_message', 'Hello'),
  entry(3, 'x.a.progress'),
  entry(4, 'x.a.hook'),
  entry(5, 'x.a.hook'),
  entry(6, 'x.a.error', 'It broke'),
  entry(7, 'x.b'),
  ...['x.c', 'x.d', 'x.e'].map((type, i) => entry(8 + i, type)),
]

it('takes one line for neighbouring events of custom types without a text, with counts', () => {
  const groups = groupNoise(log)
  expect(groups.map((group) => group.map(({ event }) => event.sequence))).toEqual([
    [1],
    [2],
    [3, 4, 5],
    [6],
    [7, 8, 9, 10],
  ])
  const lines = groups.map((group) => formatGroup(group, style))
  expect(lines[2]).toEqual([expect.stringMatching(/^ +3 {2}x +2 × a\.hook, 1 × a\.progress, to 5$/)])
  expect(lines[4]).toEqual([expect.stringMatching(/1 × b, 1 × c, 1 × d, 1 other type, to 10$/)])
})

it('shows each event with --full', () => {
  const lines = groupNoise(log).flatMap((group) => formatGroup(group, { ...style, full: true }))
  expect(lines).toHaveLength(log.length)
})
