import type { SessionView } from '../../domain/fold.ts'
import { cloneJson } from '../../domain/json.ts'
import type { DecideRequest } from '../../ports/session-store.ts'

/** Most sessions in the cache; the least recently written goes first. */
const MAX_SESSIONS = 500
/** Longer scratchpads, measured as JSON, are not cached. */
const MAX_LENGTH = 16_384

/** The views after a decision, and the version by which the server checks that they are current. */
export interface CachedView {
  readonly version: number
  readonly view: SessionView
}

/**
 * Views of sessions whose scratchpad this process changed last, so that the next change is a single call. The server
 * checks the version, so a decision of another process makes an entry stale, and it checks the owner.
 */
export class ScratchpadCache {
  readonly #views = new Map<string, CachedView>()

  /** Removes and returns the entry; the caller puts back the result of its decision, or nothing. */
  take(request: DecideRequest): CachedView | undefined {
    if (!isCacheable(request)) return undefined
    const view = this.#views.get(request.sessionId)
    this.#views.delete(request.sessionId)
    return view
  }

  /** `length`: of the scratchpad as JSON. */
  put(request: DecideRequest, { version, view }: CachedView, length: number): void {
    if (!isCacheable(request) || length > MAX_LENGTH) return
    // a copy: the caller may change its view
    this.#views.set(request.sessionId, { version, view: cloneJson(view) })
    if (this.#views.size <= MAX_SESSIONS) return
    const [oldest = ''] = this.#views.keys()
    this.#views.delete(oldest)
  }
}

/** A write with an idempotency key must first look up the key. */
function isCacheable({ reads, idempotency }: DecideRequest): boolean {
  return reads === 'state' && idempotency === undefined
}
