import type { Observation } from '../domain/graph.ts'
import { LIMITS } from '../domain/limits.ts'
import type { ApiResponse } from './connection.ts'

/** The first buffered observations of a session that fit into one call. */
export interface Batch {
  readonly id: string
  readonly count: number
  /** Characters of all buffered observations of the session. */
  readonly size: number
}

/** Fills one call from the sessions in their order, up to the size that the server stages for one session. */
export function planBatches(buffered: ReadonlyMap<string, readonly Observation[]>): Batch[] {
  let room: number = LIMITS.staged
  const batches = Array.from(buffered, ([id, observations]): Batch => {
    const sizes = observations.map((observation) => JSON.stringify(observation).length)
    let count = 0
    for (const size of sizes) {
      if (size > room) break
      room -= size
      count++
    }
    return { id, count, size: sizes.reduce((sum, size) => sum + size, 0) }
  })
  return batches.filter(({ count }) => count > 0)
}

/** The observations that did not get into the log. An error without the header was raised before any was written. */
export function unwrittenIn(response: ApiResponse, id: string, sent: readonly Observation[]): readonly Observation[] {
  if (response.unwritten === null) return response.error === undefined ? [] : sent
  const { [id]: ranges = '' } = JSON.parse(response.unwritten) as Record<string, string>
  return Array.from(ranges.matchAll(/(\d+)(?:-(\d+))?/g), ([, from, to = from]) =>
    sent.slice(Number(from), Number(to) + 1),
  ).flat()
}
