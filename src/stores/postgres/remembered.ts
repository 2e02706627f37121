import type { SessionView } from '../../domain/fold.ts'
import { cloneJson } from '../../domain/json.ts'
import type { DecideRequest } from '../../ports/session-store.ts'

/** Sessions to remember at most, those written last. */
const SESSIONS = 500
/** Scratchpads that are longer as JSON are not remembered. */
const LONGEST = 16_384

/** The views that a decision saw or left behind, and by what the server knows whether they still hold. */
export interface Seen {
  readonly version: number
  readonly view: SessionView
}

/**
 * What decisions of this process left of scratchpads, so that the next change of one is a single call: it holds as long as nobody else has
 * decided since, which the server sees by the version. Whose the session is it asks there, too.
 */
export class Remembered {
  readonly #seen = new Map<string, Seen>()

  /** Takes it out: whoever decides on it puts back what came of it, or nothing. */
  take(request: DecideRequest): Seen | undefined {
    if (!isMeant(request)) return undefined
    const seen = this.#seen.get(request.sessionId)
    this.#seen.delete(request.sessionId)
    return seen
  }

  /** `length` is that of the scratchpad as JSON. */
  keep(request: DecideRequest, { version, view }: Seen, length: number): void {
    if (!isMeant(request) || length > LONGEST) return
    // what the caller is given is the caller's to change
    this.#seen.set(request.sessionId, { version, view: cloneJson(view) })
    if (this.#seen.size <= SESSIONS) return
    const [oldest = ''] = this.#seen.keys()
    this.#seen.delete(oldest)
  }
}

/** With a key it has to be looked up first what was written with it. */
function isMeant({ reads: looksAt, idempotency }: DecideRequest): boolean {
  return looksAt === 'state' && idempotency === undefined
}
