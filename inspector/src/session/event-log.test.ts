import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SessionEvent } from '../api/types.ts'
import { EventLog } from './event-log.ts'

const eventAt = (sequence: number) =>
  ({ sequence, type: 'x.tick', content: '' }) as Partial<SessionEvent> as SessionEvent

/** A log of 10,000 events. A response has `size` events at most. */
function logOf({ size = 500, fails = false } = {}) {
  const reads: string[] = []
  vi.stubGlobal('fetch', async (path: string) => {
    const query = new URLSearchParams(path.split('?')[1])
    const after = Number(query.get('after'))
    const count = Math.min(Number(query.get('limit')), size)
    reads.push(`${after + 1}-${after + count}`)
    if (fails) return Response.json({ code: 'STORAGE', detail: 'no disk' }, { status: 503 })
    return Response.json({ items: Array.from({ length: count }, (_, i) => eventAt(after + 1 + i)) })
  })
  return { log: new EventLog('s', new AbortController().signal), reads }
}

const isKnown = (log: EventLog, from: number, to: number) =>
  [...log.outline.pieces(from, to)].every(({ kind }) => kind !== 'gap')
const untilKnown = (log: EventLog, from: number, to: number) =>
  expect.poll(() => isKnown(log, from, to), { timeout: 5000 }).toBe(true)

afterEach(() => vi.unstubAllGlobals())

describe('filling a log', () => {
  it('reads what is unknown around a place, the nearest first, as much as a response takes', async () => {
    const { log, reads } = logOf()
    log.prefetch(5001, 5100, 10_000)
    await untilKnown(log, 5001, 5100)
    log.fill({ near: 5050, from: 4001, to: 6000 })
    await untilKnown(log, 4001, 6000)
    expect(reads[0]).toBe('5001-5100')
    expect(reads.slice(1)).toEqual(['4501-5000', '5101-5600', '4001-4500', '5601-6000'])
    log.fill({ near: 5050, from: 4001, to: 6000 })
    expect(reads).toHaveLength(5)
  })

  it('goes on where the reader is now', async () => {
    const { log, reads } = logOf()
    log.fill({ near: 9000, from: 6501, to: 10_000 })
    log.fill({ near: 250, from: 1, to: 500 })
    await untilKnown(log, 1, 500)
    expect(reads.slice(1)).toEqual(['101-500', '1-100'])
  })

  it('stops after a number of reads: large events make responses short', async () => {
    const { log, reads } = logOf({ size: 10 })
    log.fill({ near: 5000, from: 1, to: 10_000 })
    await expect.poll(() => reads.length, { timeout: 5000 }).toBe(40)
    await new Promise((resolve) => setImmediate(resolve))
    expect(reads).toHaveLength(40)
  })

  it('stops at a failure', async () => {
    const { log, reads } = logOf({ fails: true })
    log.fill({ near: 5000, from: 1, to: 10_000 })
    await expect.poll(() => log.problem.value?.message).toBe('no disk')
    log.fill({ near: 5000, from: 1, to: 10_000 })
    expect(reads).toHaveLength(1)
  })
})
