import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Background, type Reading } from './background.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => vi.useRealTimers())

const A = { sessionId: 'a', milestone: false }
const B = { sessionId: 'b', milestone: false }

/** Reads that are noted, and how many more times each session has something left. */
function noting(more: Record<string, number> = {}) {
  const seen: Reading[] = []
  const read = async (reading: Reading) => {
    seen.push(reading)
    more[reading.sessionId] = (more[reading.sessionId] ?? 0) - 1
    return (more[reading.sessionId] ?? 0) >= 0
  }
  return { seen, read }
}

/** Lets a second of quiet pass, and what comes of it. */
async function quiet(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1000)
  await vi.advanceTimersByTimeAsync(50)
}

describe('reading in the background', () => {
  it('begins when nothing was written for a second, one session after the other', async () => {
    const { seen, read } = noting()
    const background = new Background(read)
    background.wrote('a', false)
    background.wrote('b', false)
    background.wrote('a', false)
    expect(seen).toEqual([])
    await quiet()
    expect(seen).toEqual([A, B])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(seen).toEqual([A, B])
  })

  it('goes on with a session until all of it is read, and takes turns', async () => {
    const { seen, read } = noting({ a: 2 })
    const background = new Background(read)
    background.wrote('a', true)
    background.wrote('b', false)
    await quiet()
    expect(seen).toEqual([{ ...A, milestone: true }, B, { ...A, milestone: true }, { ...A, milestone: true }])
  })

  it('remembers a milestone whatever is written after it', async () => {
    const { seen, read } = noting()
    const background = new Background(read)
    background.wrote('a', true)
    background.wrote('a', false)
    await quiet()
    expect(seen).toEqual([{ ...A, milestone: true }])
  })

  it('goes on after a failure, with the others', async () => {
    const { seen, read } = noting()
    const background = new Background((reading) => {
      if (reading.sessionId === 'a') return Promise.reject(new Error('no'))
      return read(reading)
    })
    background.wrote('a', false)
    background.wrote('b', false)
    await quiet()
    expect(seen).toEqual([B])
  })

  it('rests while others write', async () => {
    const seen: string[] = []
    const background: Background = new Background(async ({ sessionId }) => {
      seen.push(sessionId)
      background.wrote('b', false)
      return true
    })
    background.wrote('a', false)
    await quiet()
    expect(seen).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(100)
    expect(seen).toEqual(['a', 'b', 'a'])
    background.stop()
  })

  it.each([0, 1, 2, 3, 4])('reads what is written %i steps after a reading', async (steps) => {
    const seen: string[] = []
    const background: Background = new Background(({ sessionId }) => {
      seen.push(sessionId)
      const read = Promise.resolve(false)
      if (sessionId === 'a') {
        let later: Promise<unknown> = read
        for (let i = 0; i < steps; i++) later = later.then(() => {})
        void later.then(() => background.wrote('b', false))
      }
      return read
    })
    background.wrote('a', false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(seen).toEqual(['a', 'b'])
  })

  it('begins nothing more once it is stopped', async () => {
    const { seen, read } = noting({ a: 5 })
    const background = new Background(read)
    background.wrote('a', false)
    await vi.advanceTimersByTimeAsync(1000)
    background.stop()
    const before = seen.length
    background.wrote('b', false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(seen).toHaveLength(before)
  })

  it('is off without anything that reads', async () => {
    const background = new Background()
    background.wrote('a', false)
    expect(vi.getTimerCount()).toBe(0)
    background.stop()
  })
})
