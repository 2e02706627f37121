import { expect, it } from 'vitest'
import type { RecallItem } from '../../api/types.ts'
import { hitsBySession } from './group-hits.ts'

const hit = (sessionId: string | undefined, sequence: number, score: number) =>
  ({ kind: 'event', id: `${sessionId}${sequence}`, sessionId, sequence, score }) as RecallItem

it('results of several users are one list of sessions, the best first', () => {
  const groups = hitsBySession([
    [hit('a', 1, 5), hit('b', 7, 3), hit('a', 9, 2)],
    [hit('c', 4, 4), hit(undefined, 0, 9)],
  ])
  const shown = groups.map(({ sessionId, items }) => [sessionId, ...items.map(({ sequence }) => sequence)])
  expect(shown).toEqual([
    ['a', 1, 9],
    ['c', 4],
    ['b', 7],
  ])
})
