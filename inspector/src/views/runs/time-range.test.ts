import { describe, expect, it } from 'vitest'
import { zoomIn } from './shown-range.ts'
import { moved, overlaps, placeIn, spanOf, ticksOf, withRoom, zoomed } from './time-range.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const range = (from: number, to: number) => ({ from, to })

describe('a range of time', () => {
  it('spans all runs, and is never empty', () => {
    expect(spanOf([range(5000, 9000), range(1000, 2000)])).toEqual(range(1000, 9000))
    expect(spanOf([range(5000, 5000)])).toEqual(range(5000, 6000))
    expect(spanOf([])).toEqual(range(0, 1000))
    expect(withRoom(range(0, 1000), 0.1)).toEqual(range(-100, 1100))
  })

  it('zooms around its middle and moves, within the whole', () => {
    const whole = range(0, 100_000)
    expect(zoomed(range(0, 100_000), 0.5, whole)).toEqual(range(25_000, 75_000))
    expect(zoomed(range(80_000, 100_000), 2, whole)).toEqual(range(60_000, 100_000))
    expect(zoomed(range(60_000, 100_000), 4, whole)).toEqual(whole)
    expect(zoomed(range(50_000, 51_000), 0.5, whole)).toEqual(range(50_000, 51_000))
    expect(moved(range(10_000, 30_000), -1, whole)).toEqual(range(0, 20_000))
    expect(moved(range(10_000, 30_000), 0.5, whole)).toEqual(range(20_000, 40_000))
  })

  it('has places and overlaps', () => {
    expect([-5, 0, 25, 100, 900].map((at) => placeIn(range(0, 100), at))).toEqual([0, 0, 0.25, 1, 1])
    expect(overlaps(range(0, 5), range(5, 9))).toBe(true)
    expect(overlaps(range(0, 4), range(5, 9))).toBe(false)
  })

  it('has round ticks, by local time', () => {
    expect(ticksOf(range(0, 5 * MINUTE), 5, 0)).toEqual({
      moments: [0, MINUTE, 2 * MINUTE, 3 * MINUTE, 4 * MINUTE, 5 * MINUTE],
      unit: 'minute',
    })
    expect(ticksOf(range(0, 4000), 4, 0).unit).toBe('second')
    // an hour east of UTC the day begins at 23:00
    expect(ticksOf(range(0, 2 * DAY), 2, -60 * MINUTE)).toEqual({
      moments: [DAY - 60 * MINUTE, 2 * DAY - 60 * MINUTE],
      unit: 'day',
    })
    for (const length of [1000, MINUTE, DAY, 400 * DAY, 40_000 * DAY])
      expect(ticksOf(range(7, 7 + length), 6, 0).moments.length).toBeLessThanOrEqual(7)
  })
})

describe('the zoom in the address', () => {
  const runs = [range(8000, 9000), range(4000, 5000), range(0, 1000)]
  const zoom = (query: string) => zoomIn(new URLSearchParams(query), runs)

  it('is all runs, the last ones or a fixed time', () => {
    expect(zoom('')).toEqual({ range: range(-450, 9450), choice: 'all' })
    expect(zoom('last=1')).toEqual({ range: range(7950, 9050), choice: 1 })
    expect(zoom('from=100&to=200')).toEqual({ range: range(100, 200), choice: undefined })
  })

  it('is all runs if the address is odd', () => {
    for (const query of ['from=9&to=1', 'from=&to=x', 'last=0', 'last=3', 'last=1.5', 'from=5'])
      expect(zoom(query).choice, query).toBe('all')
  })
})
