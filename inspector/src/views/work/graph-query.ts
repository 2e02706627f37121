import { isLabel, TASK_NODE } from '../../domain.ts'

/** Largest depth offered by the page. */
export const MAX_DEPTH = 4
export const DIRECTIONS = ['both', 'out', 'in'] as const
export type Direction = (typeof DIRECTIONS)[number]

/** The part of the graph to load, and how to show it. */
export interface GraphQuery {
  readonly node: string
  readonly depth: number
  readonly direction: Direction
  /** Only edges with these labels; empty means all. */
  readonly labels: readonly string[]
  readonly as: 'diagram' | 'list'
}

/** Reads the query from the address and ignores invalid values. */
export function parseGraphQuery(query: URLSearchParams): GraphQuery {
  const depth = Number(query.get('depth'))
  return {
    node: query.get('node') || TASK_NODE,
    depth: Number.isInteger(depth) && depth >= 1 && depth <= MAX_DEPTH ? depth : 2,
    direction: DIRECTIONS.find((name) => name === query.get('direction')) ?? 'both',
    labels: (query.get('labels') ?? '').split(',').filter(isLabel),
    as: query.get('as') === 'list' ? 'list' : 'diagram',
  }
}
