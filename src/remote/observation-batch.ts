import { LIMITS } from '../domain/limits.ts'
import type { Observation } from '../domain/work.ts'
import type { ApiResponse } from './connection.ts'

/** The first of a session's observations, as many as one call may carry. */
export interface Batch {
  readonly id: string
  readonly count: number
  /** Characters of all that wait for the session. */
  readonly size: number
}

/** What one call may carry, of the sessions in their order: together as much as the server lets wait for one of them. */
export function planBatches(waiting: ReadonlyMap<string, readonly Observation[]>): Batch[] {
  let room: number = LIMITS.staged
  const loads = Array.from(waiting, ([id, observations]): Batch => {
    const sizes = observations.map((observation) => JSON.stringify(observation).length)
    let count = 0
    for (const size of sizes) {
      if (size > room) break
      room -= size
      count++
    }
    return { id, count, size: sizes.reduce((sum, size) => sum + size, 0) }
  })
  return loads.filter(({ count }) => count > 0)
}

/** What did not get into the log. An error that does not say comes from before the work began. */
export function unwrittenIn(answer: ApiResponse, id: string, carried: readonly Observation[]): readonly Observation[] {
  if (answer.unwritten === null) return answer.error === undefined ? [] : carried
  const { [id]: places = '' } = JSON.parse(answer.unwritten) as Record<string, string>
  const left = Array.from(places.matchAll(/(\d+)(?:-(\d+))?/g), ([, from, to = from]) =>
    carried.slice(Number(from), Number(to) + 1),
  )
  return left.flat()
}
