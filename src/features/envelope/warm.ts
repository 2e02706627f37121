import type { WarmOptions, WarmReport } from '../../api.ts'
import type { Envelope } from '../../domain/envelope.ts'
import { ValidationError } from '../../domain/errors.ts'
import { isObject } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import type { EnvelopeCache } from '../../ports/envelope-cache.ts'
import { requireOperator } from '../kernel/access.ts'
import type { Deps } from '../kernel/deps.ts'
import { uuid } from '../kernel/parse.ts'
import { jsonIn } from './operation.ts'
import { entryOf, foldedEnvelope } from './stored-envelope.ts'

/** Sessions per batch. */
const PAGE = 200

/** Fills the cache from the store as readers do: take a lease, read, then fill. */
export async function warm(deps: Deps, { sessions, onProgress }: WarmOptions = {}): Promise<WarmReport> {
  requireOperator(deps)
  const cache = requireCache(deps)
  const report: WarmReport = { sessions: 0, filled: 0, present: 0, unknown: 0, failed: 0 }
  const { sessions: total } = await deps.store.totals(undefined)
  for await (const ids of sessions === undefined ? allIds(deps) : pages(sessions)) {
    await warmPage(deps, cache, ids, report)
    onProgress?.({ sessions: report.sessions, of: Math.max(total, report.sessions) })
  }
  return report
}

async function warmPage(deps: Deps, cache: EnvelopeCache, page: readonly string[], report: WarmReport): Promise<void> {
  // asking twice for the same session returns one lease
  const ids = [...new Set(page)]
  report.sessions += ids.length
  const leases = new Map<string, string | undefined>()
  await Promise.all(
    ids.map(async (id) => {
      const cached = await cache.get(id)
      if (cached.value === undefined) leases.set(id, cached.lease)
      else report.present++
    }),
  )
  // only now: a value read before the lease may not be filled under it
  const rows = await deps.store.envelopes.find([...leases.keys()])
  report.unknown += leases.size - rows.length
  await Promise.all(
    rows.map(async ({ sessionId, envelopeAt, envelope }) => {
      const found = envelope ?? (await foldedEnvelope(deps, sessionId, envelopeAt))
      const filled = await cache.fill(sessionId, entryOf(found, envelopeAt), leases.get(sessionId))
      report[filled ? 'filled' : 'failed']++
    }),
  )
}

async function* allIds({ store }: Deps): AsyncGenerator<string[]> {
  for (let after: string | undefined; ; ) {
    const page = await store.sessionIds(defined({ limit: PAGE, after }))
    after = page.at(-1)
    if (after === undefined) return
    yield page
  }
}

async function* pages(sessions: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string[]> {
  let page: string[] = []
  for await (const id of sessions) {
    const known = uuid().safeParse(id)
    if (!known.success) throw new ValidationError('sessions', `must be session ids; '${id.slice(0, 64)}' is not one`)
    page.push(known.data)
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** Every envelope in the cache, unchanged. Values that are not JSON objects are skipped. */
export async function* cachedEnvelopes(deps: Deps): AsyncGenerator<Envelope> {
  requireOperator(deps)
  for await (const { sessionId, value } of requireCache(deps).scan()) {
    const json = jsonIn(value)
    // values of a legacy system may lack fields, even the owner
    if (isObject(json)) yield { session_id: sessionId, ...json } as unknown as Envelope
  }
}

/** The cache; throws if there is none. */
export function requireCache({ cache }: Deps): EnvelopeCache {
  if (cache !== undefined) return cache
  throw new ValidationError('cache', 'is required: pass it to open(), or set THROUGHLINE_CACHE_URL')
}
