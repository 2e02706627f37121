import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import { EventSample } from './event-sample.ts'

const event = (sequence: number) => ({ sequence }) as SessionEvent

/** The sequences that remain of events of these sizes. */
function sampled(sizes: readonly number[]): number[] {
  const sample = new EventSample()
  for (const [i, size] of sizes.entries()) sample.add(event(i + 1), size)
  return sample.events.map(({ sequence }) => sequence)
}

const { windowSize } = LIMITS

describe('a sample of events', () => {
  it('has all of a short log, and the first 50 and last 1000 of a long one', () => {
    expect(sampled([1, 1, 1])).toEqual([1, 2, 3])
    const kept = sampled(Array(2000).fill(1))
    expect([kept.length, kept[49], kept[50], kept.at(-1)]).toEqual([1050, 50, 1001, 2000])
  })

  it('has as many as fit into a window, half of it from the start', () => {
    expect(sampled(Array(12).fill(windowSize / 4))).toEqual([1, 2, 11, 12])
    expect(sampled([windowSize, 1, windowSize, 1])).toEqual([4])
    expect(sampled([1, windowSize])).toEqual([1, 2])
  })
})
