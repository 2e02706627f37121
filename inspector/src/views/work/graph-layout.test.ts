import { describe, expect, it } from 'vitest'
import type { GraphEdge } from '../../api/types.ts'
import { type Box, layoutGraph, nearestBox, nearestEdges, toArrowData, toPathData } from './graph-layout.ts'

const edge = (from: string, to: string, label = 'calls'): GraphEdge => ({ from, label, to, evidence: [] })

describe('nearestEdges', () => {
  it('prefers relations near the node in both directions', () => {
    const edges = [edge('c', 'd'), edge('x', 'y'), edge('b', 'c'), edge('b', 'a')]
    expect(nearestEdges({ node: 'a', edges }, 2)).toEqual([edge('b', 'a'), edge('b', 'c')])
    expect(nearestEdges({ node: 'a', edges }, 3).at(-1)).toEqual(edge('c', 'd'))
    expect(nearestEdges({ node: 'a', edges }, 4)).toEqual(edges)
  })
})

describe('layoutGraph', () => {
  it('places targets to the right of sources, and boxes never overlap', () => {
    const { nodes, width, height } = layoutGraph('a', [edge('a', 'b'), edge('a', 'c'), edge('b', 'd'), edge('e', 'a')])
    const at = new Map(nodes.map((node) => [node.key, node]))
    const x = (key: string) => at.get(key)?.x ?? Number.NaN
    expect(nodes[0]?.key).toBe('a')
    expect([...at.keys()].toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(x('e')).toBeLessThan(x('a'))
    expect(x('a')).toBeLessThan(x('b'))
    expect(x('b')).toBeLessThan(x('d'))
    for (const one of nodes) {
      expect(one.x - one.width / 2).toBeGreaterThanOrEqual(0)
      expect(one.x + one.width / 2).toBeLessThanOrEqual(width)
      expect(one.y + one.height / 2).toBeLessThanOrEqual(height)
      expect(nodes.filter((other) => other !== one && overlap(one, other))).toEqual([])
    }
  })

  it('gives the lines of a busy node more room to fan out', () => {
    const gap = (count: number) => {
      const { nodes } = layoutGraph(
        'a',
        Array.from({ length: count }, (_, i) => edge('a', `b${i}`)),
      )
      const [a, b] = nodes
      return (b?.x ?? 0) - (a?.x ?? 0)
    }
    expect(gap(5)).toBe(gap(2))
    expect(gap(40)).toBeGreaterThan(gap(5) + 50)
  })

  it('draws all relations between two nodes as one line attached to their sides', () => {
    const { nodes, lines } = layoutGraph('a', [
      edge('a', 'b', 'calls'),
      edge('a', 'b', 'reads'),
      edge('b', 'a', 'knows'),
    ])
    expect(lines.map(({ label }) => label)).toEqual(['calls, reads', 'knows'])
    const [a, b] = nodes
    const [there, back] = lines
    expect(there?.points[0]?.x).toBe((a?.x ?? 0) + (a?.width ?? 0) / 2)
    expect(there?.points.at(-1)?.x).toBe((b?.x ?? 0) - (b?.width ?? 0) / 2)
    expect(back?.points.at(-1)?.x).toBe((a?.x ?? 0) + (a?.width ?? 0) / 2)
  })

  it('accepts a node without relations, a loop, and any name', () => {
    expect(layoutGraph('a', []).nodes).toHaveLength(1)
    const {
      nodes: [one],
      lines: [loop],
      height,
    } = layoutGraph('a', [edge('a', 'a')])
    expect(loop?.points.at(0)?.y).toBe((one?.y ?? 0) + (one?.height ?? 0) / 2)
    expect(loop?.points.at(-1)?.y).toBe(loop?.points.at(0)?.y)
    expect(loop?.y).toBeGreaterThan(loop?.points.at(0)?.y ?? Infinity)
    expect(loop?.y).toBeLessThan(height)
    const { nodes } = layoutGraph('__proto__', [edge('__proto__', 'constructor'), edge('constructor', '\u0000')])
    expect(nodes.map(({ key }) => key)).toEqual(['__proto__', 'constructor', '\u0000'])
    expect(nodes.every(({ x, y }) => x > 0 && y > 0)).toBe(true)
  })
})

describe('nearestBox', () => {
  const box = (key: string, x: number, y: number): Box => ({ key, x, y, width: 10, height: 10 })
  const boxes = [box('here', 0, 0), box('near', 50, 10), box('far', 200, 0), box('below', 0, 40), box('left', -30, 5)]
  const from = boxes[0] as Box

  it('finds the nearest box on that side', () => {
    expect(nearestBox(from, boxes, 'right')?.key).toBe('near')
    expect(nearestBox(from, boxes, 'left')?.key).toBe('left')
    expect(nearestBox(from, boxes, 'down')?.key).toBe('below')
    expect(nearestBox(from, boxes, 'up')).toBeUndefined()
  })
})

describe('toPathData and toArrowData', () => {
  const points = [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
    { x: 20, y: 10 },
    { x: 30, y: 10 },
  ]

  it('pass through all points in order', () => {
    expect(toPathData(points)).toBe('M0.0,0.0Q10.0,0.0 15.0,5.0Q20.0,10.0 30.0,10.0')
    expect(toPathData(points.slice(0, 2))).toBe('M0.0,0.0L10.0,0.0')
    expect(toPathData([])).toBe('')
  })

  it('end in an arrow that points along the line', () => {
    expect(toArrowData(points, 10)).toMatch(/^M30\.0,10\.0L21\.0,5\.7L21\.0,14\.3Z$/)
    expect(toArrowData([])).toBe('')
  })
})

function overlap(a: Box, b: Box): boolean {
  return Math.abs(a.x - b.x) < (a.width + b.width) / 2 && Math.abs(a.y - b.y) < (a.height + b.height) / 2
}
