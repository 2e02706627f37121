import { Graph as Dagre, layout } from '@dagrejs/dagre'
import type { Graph, GraphEdge } from '../../api/types.ts'

/** Most relations to draw. Laying out 150 tangled ones takes a few tenths of a second, 500 take seconds. */
export const MAX_DRAWN_EDGES = 120

export const NODE_SIZE = { width: 200, height: 44 }
const LABEL_SIZE = { height: 18, character: 6.8, padding: 14 }

/** A point of the drawing. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** A box, by its center. */
export interface Box extends Point {
  readonly key: string
  readonly width: number
  readonly height: number
}

/** All relations from one node to another, drawn as one line. */
export interface Line extends Box {
  readonly from: string
  readonly to: string
  readonly label: string
  readonly points: readonly Point[]
}

/** Positions of all nodes and lines. */
export interface GraphLayout {
  readonly width: number
  readonly height: number
  readonly nodes: readonly Box[]
  readonly lines: readonly Line[]
}

/** The `max` relations nearest to the start node. */
export function nearestEdges({ node, edges }: Pick<Graph, 'node' | 'edges'>, max = MAX_DRAWN_EDGES): GraphEdge[] {
  if (edges.length <= max) return [...edges]
  const far = measureDistances(node, edges)
  const rank = ({ from, to }: GraphEdge) => Math.min(far.get(from) ?? Infinity, far.get(to) ?? Infinity)
  return edges.toSorted((a, b) => rank(a) - rank(b)).slice(0, max)
}

/** Distance of every node from the start node, ignoring direction. */
function measureDistances(node: string, edges: readonly GraphEdge[]): Map<string, number> {
  const beside = new Map<string, string[]>()
  for (const { from, to } of edges) {
    for (const [a, b] of [
      [from, to],
      [to, from],
    ] as const) {
      const known = beside.get(a)
      if (known === undefined) beside.set(a, [b])
      else known.push(b)
    }
  }
  const far = new Map([[node, 0]])
  // iterating a Map also visits entries added meanwhile
  for (const [at, steps] of far) for (const next of beside.get(at) ?? []) if (!far.has(next)) far.set(next, steps + 1)
  return far
}

/** Number of lines at the node that has most. */
function busiest(lines: readonly Pick<Line, 'from' | 'to'>[]): number {
  const counts = new Map<string, number>()
  for (const { from, to } of lines) for (const key of [from, to]) counts.set(key, (counts.get(key) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}

/** Places the nodes in columns from left to right with few crossings. */
export function layoutGraph(node: string, edges: readonly GraphEdge[]): GraphLayout {
  const lines = groupIntoLines(edges)
  const graph = new Dagre({ multigraph: true })
  // many lines at one node need room to fan out, or the labels would cover them
  const ranksep = Math.max(28, Math.min(90, 3 * busiest(lines)))
  graph.setGraph({ rankdir: 'LR', nodesep: 12, edgesep: 12, ranksep, marginx: 12, marginy: 12 })
  // numbers instead of names: dagre uses names as object keys, and `__proto__` breaks it
  const names = new Map<string, string>()
  for (const key of [node, ...edges.flatMap(({ from, to }) => [from, to])])
    if (!names.has(key)) names.set(key, `n${names.size}`)
  const name = (key: string) => names.get(key) ?? ''
  for (const one of names.values()) graph.setNode(one, { ...NODE_SIZE })
  for (const [index, { from, to, width, height }] of lines.entries())
    graph.setEdge(name(from), name(to), { width, height, labelpos: 'c' }, `e${index}`)
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  const nodes = new Map(Array.from(names, ([key, one]) => [key, { ...toBox(graph.node(one)), key }]))
  return {
    width,
    height,
    nodes: [...nodes.values()],
    lines: lines.map((line, index) => {
      const { points = [], ...at } = graph.edge(name(line.from), name(line.to), `e${index}`) as Placed
      const [from, to] = [nodes.get(line.from), nodes.get(line.to)]
      const box = { ...line, ...toBox({ ...line, ...at }) }
      if (from === undefined || to === undefined) return { ...box, points }
      return from === to ? drawLoop(box, from) : { ...box, points: attachEnds(points, from, to) }
    }),
  }
}

type Placed = Partial<Point> & { points?: Point[] }

/** Attaches both ends of a line to the left or right side of a box, shifted toward the other end. */
function attachEnds(points: readonly Point[], from: Box, to: Box): Point[] {
  const inner = points.slice(1, -1)
  return [attachPoint(from, inner[0] ?? to), ...inner, attachPoint(to, inner.at(-1) ?? from)]
}

/** Draws a relation of a node with itself as a loop below it: with left-to-right ranks dagre draws it into nowhere. */
function drawLoop<T extends Box>(line: T, { x, y, height }: Box): T & { points: Point[] } {
  const side = line.width / 2 + 10
  const edge = y + Math.sign(line.y - y || 1) * (height / 2)
  const [left, right] = [x - side, x + side]
  const points = [
    { x: left, y: edge },
    { x: left, y: line.y },
    { x: right, y: line.y },
    { x: right, y: edge },
  ]
  return { ...line, x, points }
}

function attachPoint({ x, y, width, height }: Box, towards: Point): Point {
  const max = height / 2 - 8
  const shift = Math.max(-max, Math.min(max, (towards.y - y) / 4))
  return { x: x + (Math.sign(towards.x - x) || 1) * (width / 2), y: y + shift }
}

function toBox({ x = 0, y = 0, width, height }: Partial<Point> & { width: number; height: number }) {
  return { x, y, width, height }
}

function groupIntoLines(edges: readonly GraphEdge[]): Omit<Line, 'points'>[] {
  const between = new Map<string, GraphEdge[]>()
  for (const edge of edges) {
    const key = lineKey(edge)
    between.set(key, [...(between.get(key) ?? []), edge])
  }
  return Array.from(between, ([key, all]) => {
    const { from = '', to = '' } = all[0] ?? {}
    const label = all.map((edge) => edge.label).join(', ')
    const width = Math.min(label.length * LABEL_SIZE.character + LABEL_SIZE.padding, NODE_SIZE.width)
    return { key, from, to, label, x: 0, y: 0, width, height: LABEL_SIZE.height }
  })
}

/** Key of the line that draws a relation. */
export const lineKey = ({ from, to }: Pick<GraphEdge, 'from' | 'to'>) => JSON.stringify([from, to])

/** A smooth curve through points, as the `d` of an SVG path. */
export function toPathData(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  const bends = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1] ?? point
    const isLast = index === rest.length - 2
    const end = isLast ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 }
    return `Q${at(point)} ${at(end)}`
  })
  const [only] = rest
  return [`M${at(first)}`, ...(rest.length === 1 && only !== undefined ? [`L${at(only)}`] : bends)].join('')
}

/** The arrow head at the end of such a curve. */
export function toArrowData(points: readonly Point[], size = 7): string {
  const tip = points.at(-1)
  const from = points.at(-2)
  if (tip === undefined || from === undefined) return ''
  const angle = Math.atan2(tip.y - from.y, tip.x - from.x)
  const side = (turn: number) =>
    at({ x: tip.x - size * Math.cos(angle + turn), y: tip.y - size * Math.sin(angle + turn) })
  return `M${at(tip)}L${side(0.45)}L${side(-0.45)}Z`
}

const at = ({ x, y }: Point) => `${x.toFixed(1)},${y.toFixed(1)}`

/** Directions of the arrow keys. */
export type ArrowDirection = 'left' | 'right' | 'up' | 'down'

/** The nearest box in a direction; `undefined` at the edge. */
export function nearestBox(from: Box, boxes: readonly Box[], way: ArrowDirection): Box | undefined {
  const sideways = way === 'left' || way === 'right'
  const sign = way === 'left' || way === 'up' ? -1 : 1
  let best: { box: Box; cost: number } | undefined
  for (const box of boxes) {
    const along = sign * (sideways ? box.x - from.x : box.y - from.y)
    const across = Math.abs(sideways ? box.y - from.y : box.x - from.x)
    if (along < 1) continue
    const cost = along + across * 2
    if (best === undefined || cost < best.cost) best = { box, cost }
  }
  return best?.box
}
