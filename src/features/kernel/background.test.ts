import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Background, type LoadMeter, type Reading } from './background.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => vi.useRealTimers())

type Read = (reading: Reading) => Promise<boolean>

const A = { sessionId: 'a', milestone: false }
const B = { sessionId: 'b', milestone: false }
const idle: LoadMeter = () => 0

const newBackground = (read?: Read, load = idle) => new Background(read, load)

/** Reads that are noted, and how many more times each session has something left. */
function noting(more: Record<string, number> = {}) {
  const seen: Omit<Reading, 'pause'>[] = []
  const read: Read = async ({ sessionId, milestone }) => {
    seen.push({ sessionId, milestone })
    more[sessionId] = (more[sessionId] ?? 0) - 1
    return (more[sessionId] ?? 0) >= 0
  }
  return { seen, read }
}

/** Works for ten milliseconds at a time, and notes when it does. */
function working(pieces: number) {
  const at: number[] = []
  const read: Read = async ({ pause }) => {
    for (let i = 0; i < pieces; i++) {
      at.push(performance.now())
      vi.advanceTimersByTime(10)
      await pause()
    }
    return false
  }
  return { read, pauses: () => at.slice(1).map((time, i) => time - (at[i] ?? 0) - 10) }
}

/** Lets a second of quiet pass, and what comes of it. */
async function quiet(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1000)
  await vi.advanceTimersByTimeAsync(50)
}

describe('indexing in the background', () => {
  it('begins when nothing was written for a second, one session after the other', async () => {
    const { seen, read } = noting()
    const background = newBackground(read)
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
    const background = newBackground(read)
    background.wrote('a', true)
    background.wrote('b', false)
    await quiet()
    expect(seen).toEqual([{ ...A, milestone: true }, B, { ...A, milestone: true }, { ...A, milestone: true }])
  })

  it('remembers a milestone whatever is written after it', async () => {
    const { seen, read } = noting()
    const background = newBackground(read)
    background.wrote('a', true)
    background.wrote('a', false)
    await quiet()
    expect(seen).toEqual([{ ...A, milestone: true }])
  })

  it('goes on after a failure, with the others', async () => {
    const { seen, read } = noting()
    const background = newBackground((reading) => {
      if (reading.sessionId === 'a') return Promise.reject(new Error('no'))
      return read(reading)
    })
    background.wrote('a', false)
    background.wrote('b', false)
    await quiet()
    expect(seen).toEqual([B])
  })

  it('works half of the time while nothing else happens', async () => {
    const { read, pauses } = working(4)
    newBackground(read).wrote('a', false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(pauses()).toEqual([10, 10, 10])
  })

  it('pauses the longer the busier the event loop is', async () => {
    const { read, pauses } = working(6)
    const loads = [0, 0.5, 0, 1, 0, 0.1, 0, 0.01, 0, 0, 0]
    newBackground(read, () => loads.shift() ?? 0).wrote('a', false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(pauses()).toEqual([200, 400, 40, 10, 10])
  })

  it('pauses forty times as long as it works while others write', async () => {
    const { read, pauses } = working(3)
    const background: Background = newBackground((reading) => {
      background.wrote('a', false)
      return read(reading)
    })
    background.wrote('a', false)
    await vi.advanceTimersByTimeAsync(1500)
    expect(pauses().slice(0, 2)).toEqual([400, 10])
    background.stop()
  })

  it('never pauses for more than a second, unless it worked that long', async () => {
    const { read, pauses } = working(2)
    const slow: Read = async (reading) => {
      vi.advanceTimersByTime(90)
      return await read(reading)
    }
    newBackground(slow, () => 1).wrote('a', false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(pauses()).toEqual([1000])
  })

  it.each([0, 1, 2, 3, 4])('reads what is written %i steps after a reading', async (steps) => {
    const seen: string[] = []
    const background: Background = newBackground(({ sessionId }) => {
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
    const background = newBackground(read)
    background.wrote('a', false)
    await vi.advanceTimersByTimeAsync(1000)
    background.stop()
    const before = seen.length
    background.wrote('b', false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(seen).toHaveLength(before)
  })

  it('is off without anything that reads', async () => {
    const background = newBackground()
    background.wrote('a', false)
    expect(vi.getTimerCount()).toBe(0)
    background.stop()
  })
})
