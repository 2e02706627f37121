import { describe, expect, it } from 'vitest'
import type { SessionRecord } from '../../api/types.ts'
import {
  EMPTY_LIST,
  hasNews,
  type ListState,
  newestActivity,
  settled,
  withChanges,
  withoutMissing,
  withPage,
} from './list-state.ts'

const record = (id: string, second: number, head = second, state = 'running') =>
  ({
    id,
    head,
    lastActivityAt: new Date(second * 1000).toISOString(),
    status: { state },
  }) as SessionRecord

const all = () => true
const isRunning = ({ status }: SessionRecord) => status.state === 'running'
const three = () => withPage(EMPTY_LIST, [record('c', 30), record('b', 20), record('a', 10)])
const order = ({ order: ids }: ListState) => ids.join('')

describe('the list of sessions', () => {
  it('appends pages, without duplicates', () => {
    const moved = withChanges(three(), [record('z', 40)], all, true)
    const next = withPage(moved, [record('z', 5), record('y', 4)])
    expect(order(next)).toBe('zcbay')
    expect(next.known.get('z')?.head).toBe(40)
  })

  it('moves changed sessions to the top if rows may move', () => {
    const next = withChanges(three(), [record('d', 50), record('a', 40), record('c', 30)], all, true)
    expect(order(next)).toBe('dacb')
    expect(next.waiting.size).toBe(0)
  })

  it('updates rows in place if they may not move, and counts those that wait', () => {
    const held = withChanges(three(), [record('d', 50), record('a', 40)], all, false)
    expect(order(held)).toBe('cba')
    expect(held.known.get('a')?.head).toBe(40)
    expect([...held.waiting]).toEqual(['d', 'a'])
    expect(order(settled(held, all))).toBe('dacb')
    expect(order(withChanges(held, [], all, true))).toBe('dacb')
  })

  it('lets no row wait that is in its place', () => {
    const held = withChanges(three(), [record('c', 60)], all, false)
    expect(held.waiting.size).toBe(0)
    expect(held.known.get('c')?.head).toBe(60)
  })

  it('is the same object if nothing is new', () => {
    const listed = three()
    expect(withChanges(listed, [record('c', 30), record('b', 20)], all, true)).toBe(listed)
    expect(withChanges(listed, [record('c', 29)], all, true)).toBe(listed)
  })

  it('drops sessions that no longer match, and adds those that do now', () => {
    const ended = withChanges(
      three(),
      [record('b', 40, 40, 'complete'), record('x', 41, 41, 'complete')],
      isRunning,
      true,
    )
    expect(order(ended)).toBe('ca')
    expect(order(withChanges(ended, [record('b', 50)], isRunning, true))).toBe('bca')
    const held = withChanges(three(), [record('b', 40, 40, 'complete')], isRunning, false)
    expect([order(held), [...held.waiting]]).toEqual(['cba', ['b']])
  })

  it('drops sessions that are missing from the first page', () => {
    const page = [record('c', 30), record('a', 10)]
    expect(order(withoutMissing(three(), page, true))).toBe('ca')
    expect(order(withoutMissing(three(), [record('c', 30)], false))).toBe('cba')
    expect(order(withoutMissing(three(), [], true))).toBe('')
    const listed = three()
    expect(withoutMissing(listed, [record('c', 30), record('b', 20), record('a', 10)], true)).toBe(listed)
  })

  it('recognizes a page with news', () => {
    const { known } = three()
    const seen = record('c', 30).lastActivityAt
    expect(hasNews([record('c', 30), record('b', 20)], known, seen)).toBe(false)
    expect(hasNews([record('x', 25)], known, seen)).toBe(false)
    expect(hasNews([record('x', 31), record('c', 30)], known, seen)).toBe(true)
    expect(hasNews([record('b', 20, 21)], known, seen)).toBe(true)
  })

  it('finds the newest activity', () => {
    expect(newestActivity([record('a', 10), record('c', 30), record('b', 20)])).toBe(record('c', 30).lastActivityAt)
    expect(newestActivity([])).toBeUndefined()
  })

  it('handles a change among 20,000 sessions', () => {
    const many = withPage(
      EMPTY_LIST,
      Array.from({ length: 20_000 }, (_, i) => record(`s${i}`, 100_000 - i)),
    )
    const next = withChanges(many, [record('s19999', 200_000)], all, true)
    expect(next.order[0]).toBe('s19999')
  })
})
