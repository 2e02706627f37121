import { TooLargeError } from '../../domain/errors.ts'
import type { Observation } from '../../domain/graph.ts'
import { LIMITS } from '../../domain/limits.ts'

interface Waiting {
  observations: Observation[]
  /** Their size as JSON in characters: all of them must fit into one event. */
  size: number
}

/**
 * Observations waiting in this process for the next step of their session. What is not flushed is lost with the
 * process.
 */
export class Staging {
  readonly #waiting = new Map<string, Waiting>()

  /** Throws `TooLargeError` if the buffer is full and must be flushed first. */
  add(sessionId: string, observation: Observation): void {
    const waiting = this.#waiting.get(sessionId) ?? { observations: [], size: 0 }
    const size = waiting.size + JSON.stringify(observation).length
    if (size > LIMITS.staged) throw new TooLargeError({ field: 'observe', limit: LIMITS.staged, actual: size })
    waiting.observations.push(observation)
    this.#waiting.set(sessionId, { observations: waiting.observations, size })
  }

  has(sessionId: string): boolean {
    return this.#waiting.has(sessionId)
  }

  /** Sessions with staged observations. */
  sessions(): string[] {
    return [...this.#waiting.keys()]
  }

  /** The staged observations of a session, in order. */
  waiting(sessionId: string): readonly Observation[] {
    return [...(this.#waiting.get(sessionId)?.observations ?? [])]
  }

  /**
   * Passes the staged observations to `write`, which returns those it did not write. They are staged again, before
   * those observed meanwhile. If `write` throws, all of them are.
   */
  async flush<T>(
    sessionId: string,
    write: (staged: readonly Observation[]) => Promise<[left: readonly Observation[], T]>,
  ): Promise<T> {
    let left: readonly Observation[] = this.#waiting.get(sessionId)?.observations ?? []
    this.#waiting.delete(sessionId)
    try {
      const [unwritten, result] = await write(left)
      left = unwritten
      return result
    } finally {
      const observations = [...left, ...(this.#waiting.get(sessionId)?.observations ?? [])]
      const size = observations.reduce((sum, observation) => sum + JSON.stringify(observation).length, 0)
      if (observations.length > 0) this.#waiting.set(sessionId, { observations, size })
    }
  }
}
