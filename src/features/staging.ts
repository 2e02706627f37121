import { TooLargeError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Observation } from '../domain/work.ts'

/**
 * Observations that wait in this process for the next step of their session. What is not flushed dies with the process.
 */
export class Staging {
  readonly #waiting = new Map<string, Observation[]>()

  add(sessionId: string, observation: Observation): void {
    const list = this.#waiting.get(sessionId) ?? []
    if (list.length >= LIMITS.staged) {
      throw new TooLargeError({ field: 'observe', limit: LIMITS.staged, actual: list.length + 1 })
    }
    this.#waiting.set(sessionId, [...list, observation])
  }

  /**
   * Hands what waits to `write`, which says whether it was written; if not, or if it throws, it waits again, before
   * what was observed meanwhile.
   */
  async flush<T>(
    sessionId: string,
    write: (staged: readonly Observation[]) => Promise<[written: boolean, T]>,
  ): Promise<T> {
    const staged = this.#waiting.get(sessionId) ?? []
    this.#waiting.delete(sessionId)
    let kept = false
    try {
      const [written, result] = await write(staged)
      kept = written
      return result
    } finally {
      if (!kept && staged.length > 0) this.#waiting.set(sessionId, [...staged, ...(this.#waiting.get(sessionId) ?? [])])
    }
  }
}
