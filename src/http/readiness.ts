import { ANALYSIS_VERSION } from '../domain/recall/postings.ts'
import type { Deps } from '../features/kernel/deps.ts'
import type { HttpMetrics } from '../metrics/http.ts'
import { coalesced } from './coalesced.ts'

/** Milliseconds after which a store that does not respond counts as not ready. */
const PATIENCE = 2000
/** Milliseconds for which a check counts. Anyone may ask, so it must not cost a query each time. */
const FRESH = 1000
/** Milliseconds between counts of the sessions that wait for the index: it looks at all sessions. */
const INDEX_LIFETIME = 5 * 60_000
/** Waiting sessions to count at most. */
const MAX_BEHIND = 1000

/** Whether the store serves requests: the only place that decides it for `/readyz` and `/metrics`. */
export function readinessOf(deps: Deps, metrics: HttpMetrics): () => Promise<boolean> {
  // a check that hangs is not begun a second time
  const check = coalesced(async () => {
    try {
      metrics.store((await deps.store.health()).details)
      return true
    } catch {
      return false
    }
  }, FRESH)
  const countBehind = coalesced(async () => {
    const ids = await deps.store.index.behind({ version: ANALYSIS_VERSION, limit: MAX_BEHIND })
    metrics.behind(ids.length)
  }, INDEX_LIFETIME)

  return async () => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, PATIENCE, false)
    })
    const ready = await Promise.race([check(), late])
    clearTimeout(timer)
    metrics.ready(ready)
    if (ready) countBehind().catch(() => {})
    return ready
  }
}
