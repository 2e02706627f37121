import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { readTurns } from './read-turns.ts'

/** The most reads in one turn of the event loop, of eight callers that read three times each. */
async function mostReadsInATurn(readMs: number): Promise<number> {
  let now = 0
  let reads = 0
  let most = 0
  const isLong = readTurns(() => now)
  const reader = async () => {
    for (let i = 0; i < 3; i++) {
      while (isLong()) await nextTurn()
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

describe('reads', () => {
  it('share a turn of the event loop while they are short', async () => {
    expect(await mostReadsInATurn(0.1)).toBe(24)
  })

  it('have a turn each where they are long, however many callers there are', async () => {
    expect(await mostReadsInATurn(11)).toBe(1)
    expect(await mostReadsInATurn(5)).toBe(3)
  })
})
