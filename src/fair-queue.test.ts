import { describe, expect, it } from 'vitest'
import { FairQueue } from './fair-queue.ts'

const ADA = ['acme', 'ada']
const EVE = ['globex', 'eve']

/** A queue with a clock, and calls that take some of its time. */
function setup() {
  let now = 0
  const queue = new FairQueue({ ms: 4, atOnce: 16 }, () => now)
  const done: string[] = []
  /** Begins a call, which works for some milliseconds once it may. */
  const call = async (owner: readonly string[], label: string, ms: number) => {
    await queue.turn(owner)
    now += ms
    done.push(label)
  }
  return { queue, call, done }
}

describe('the order of calls', () => {
  it('is that of arrival, without waiting, while they take little time', async () => {
    const { queue, call } = setup()
    expect(queue.turn(ADA)).toBeUndefined()
    await call(ADA, 'a', 3)
    expect(queue.turn(EVE)).toBeUndefined()
  })

  it('gives tenants turns: a short line passes a long one', async () => {
    const { call, done } = setup()
    const calls = Array.from({ length: 100 }, (_, i) => call(ADA, `a${i}`, 5))
    const quiet = call(EVE, 'e', 1)
    await quiet
    // those that came in the same moment before the first had worked
    expect(done.length).toBeLessThanOrEqual(16 + 2)
    await Promise.all(calls)
    expect(done.filter((label) => label !== 'e')).toEqual(Array.from({ length: 100 }, (_, i) => `a${i}`))
  })

  it('lets other work of the event loop run after a few milliseconds of calls', async () => {
    const { call, done } = setup()
    const turns: number[] = []
    let isOver = false
    const watch = () => {
      turns.push(done.length)
      if (!isOver) setImmediate(watch)
    }
    setImmediate(watch)
    await Promise.all(Array.from({ length: 20 }, (_, i) => call(ADA, `a${i}`, 2)))
    isOver = true
    const started = turns.slice(1).map((count, i) => count - (turns[i] ?? 0))
    expect(Math.max(...started)).toBeLessThanOrEqual(3)
  })

  it('starts again from nothing when all have had their turn', async () => {
    const { queue, call, done } = setup()
    await Promise.all(Array.from({ length: 10 }, (_, i) => call(ADA, `a${i}`, 5)))
    await new Promise(setImmediate)
    expect(done).toHaveLength(10)
    expect(queue.turn(ADA)).toBeUndefined()
  })
})

describe('reads that wait in one call after another', () => {
  /** The most reads in one turn of the event loop, of eight callers that read three times each. */
  async function mostInATurn(readMs: number): Promise<number> {
    let now = 0
    let reads = 0
    let most = 0
    const queue = new FairQueue({ ms: 10 }, () => now)
    const reader = async () => {
      for (let i = 0; i < 3; i++) {
        const turn = queue.turn(ADA)
        if (turn !== undefined) await turn
        now += readMs
        if (reads === 0) {
          setImmediate(() => {
            reads = 0
          })
        }
        most = Math.max(most, ++reads)
      }
    }
    await Promise.all(Array.from({ length: 8 }, reader))
    return most
  }

  it('share a turn of the event loop while they are short', async () => {
    expect(await mostInATurn(0.1)).toBe(24)
  })

  it('have a turn each where they are long, however many callers there are', async () => {
    expect(await mostInATurn(11)).toBe(1)
    expect(await mostInATurn(5)).toBe(3)
  })
})
