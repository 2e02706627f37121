import type { Json, JsonObject } from '../../domain/json.ts'
import { textAt } from '../draft.ts'
import { parseUuid } from '../uuid.ts'
import type { CodexEntry } from './entry.ts'

/** Copied lines are written at once; where nothing else tells, lines after this time are the session's own. */
const COPYING_MS = 2000

/**
 * Tells the lines that a fork or a sub-agent has copied from another session. They follow a second `session_meta`, that
 * of the other session, and end with the first turn that is newer than the session.
 */
export class CopiedHistory {
  #own: JsonObject | undefined
  #writtenAt = Number.NaN
  #isCopying = false

  /** Whether a line is copied. */
  isCopied(line: JsonObject, { kind, payload }: CodexEntry): boolean {
    if (this.#own === undefined) {
      if (kind !== 'session_meta') return false
      this.#own = payload
      this.#writtenAt = Date.parse(textAt(line, 'timestamp'))
      return false
    }
    const { id, subagent_history_start_ordinal: first } = this.#own
    if (typeof first === 'number' && typeof line['ordinal'] === 'number') return line['ordinal'] < first
    if (kind === 'session_meta' && payload['id'] !== id) this.#isCopying = true
    else if (this.#isCopying && this.#isOwn(line, payload)) this.#isCopying = false
    return this.#isCopying
  }

  #isOwn(line: JsonObject, payload: JsonObject): boolean {
    const type = textAt(payload, 'type')
    if (type === 'task_started' || type === 'turn_started') {
      const [turn, own] = [timeOrdered(payload['turn_id']), timeOrdered(this.#own?.['id'])]
      if (turn !== undefined && own !== undefined) return turn > own
      const { started_at: startedAt } = payload
      if (typeof startedAt === 'number') return startedAt >= Math.floor(this.#writtenAt / 1000)
    }
    // later lines of a turn that began before the copy belong to the copy
    return timeOrdered(payload['turn_id']) === undefined && this.#isLater(line)
  }

  #isLater(line: JsonObject): boolean {
    return Date.parse(textAt(line, 'timestamp')) - this.#writtenAt > COPYING_MS
  }
}

/** A UUID of version 7, which sorts by time. */
function timeOrdered(value: Json | undefined): string | undefined {
  const id = parseUuid(value)
  return id?.charAt(14) === '7' ? id : undefined
}
