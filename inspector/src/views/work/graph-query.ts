import { TASK_NODE } from './node-name.ts'

/** Deepest that the page goes. */
export const MAX_DEPTH = 4
export const DIRECTIONS = ['both', 'out', 'in'] as const
export type Direction = (typeof DIRECTIONS)[number]

/** What part of the graph is wanted, and how it is shown. */
export interface GraphQuery {
  readonly node: string
  readonly depth: number
  readonly direction: Direction
  /** Only these; none means all. */
  readonly labels: readonly string[]
  readonly as: 'diagram' | 'list'
}

/** Reads it from the address. What makes no sense there is as if it were not there. */
export function parseGraphQuery(query: URLSearchParams): GraphQuery {
  const depth = Number(query.get('depth'))
  return {
    node: query.get('node') || TASK_NODE,
    depth: Number.isInteger(depth) && depth >= 1 && depth <= MAX_DEPTH ? depth : 2,
    direction: DIRECTIONS.find((name) => name === query.get('direction')) ?? 'both',
    labels: (query.get('labels') ?? '').split(',').filter((label) => /^[a-z][A-Za-z]{0,63}$/.test(label)),
    as: query.get('as') === 'list' ? 'list' : 'diagram',
  }
}
