import type { Difference, RebuildReport, UpkeepOptions, VerifyReport } from '../../api.ts'
import { SessionNotFoundError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { evolve, initialView, type SessionView } from '../../domain/fold.ts'
import { edgesOf } from '../../domain/graph.ts'
import { isObject, type Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { type DailyUsage, UsageRows } from '../../domain/usage.ts'
import type { StoredEdge } from '../../ports/session-store.ts'
import { counted, entryOf } from '../envelope/operation.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { walkChecksummed } from '../kernel/history.ts'
import { nextTurn } from '../kernel/next-turn.ts'
import { pacer } from '../kernel/pace.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { storedView } from '../kernel/stored-view.ts'
import { findSession } from '../sessions/operation.ts'
import { checkWork, deriveWork } from '../tool-work/operation.ts'
import { EdgeCheck } from './check-edges.ts'
import { LogCheck } from './check-log.ts'
import { sizeDifferences } from './check-size.ts'
import { usageDifferences } from './check-usage.ts'

export { healthOf } from './health.ts'

/** Checks logs, folds them again and reports damage and each difference from the stored views. */
export async function verifySessions(deps: Deps, id?: string, options?: UpkeepOptions): Promise<VerifyReport> {
  const report: VerifyReport = { sessions: 0, events: 0, differences: [] }
  report.differences = await eachSession(deps, id, report, options, async (sessionId, onEvents) => {
    const { damage, differences } = await examine(deps, sessionId, onEvents)
    return [...damage, ...differences]
  })
  return report
}

/** Rewrites views that differ from their log, unless the log itself is damaged. */
export async function rebuildSessions(deps: Deps, id?: string, options?: UpkeepOptions): Promise<RebuildReport> {
  const report: RebuildReport = { sessions: 0, events: 0, repaired: [] }
  report.repaired = await eachSession(deps, id, report, options, async (sessionId, onEvents) => {
    for (let all: StoredEdge[] | undefined; ; all = []) {
      const examined = await examine(deps, sessionId, all === undefined ? onEvents : () => {}, all)
      const { stored, folded, usage, bytes, hasWork, damage, differences } = examined
      // views rebuilt from a damaged log would hide the damage
      if (folded === undefined || damage.length > 0 || differences.length === 0) return []
      // only a repair needs all edges in memory
      if (all === undefined) continue
      const edges = all
      const { head } = stored.record
      const mend = () => deps.store.repair(keyOf(deps, sessionId), head, storedView(deps, folded), edges, usage, bytes)
      const changesEnvelope = differences.some(({ field }) => /^envelope\b/.test(field))
      // false if the log grew meanwhile: compare again
      if (await counted(deps, 'rebuild', mend, (done) => done && changesEnvelope)) {
        if (changesEnvelope && folded.envelope)
          await deps.cache?.wrote(sessionId, entryOf(folded.envelope, folded.envelopeAt))
        // the repair removed the edges of tool calls
        if (hasWork) await deriveWork(deps, sessionId)
        return [sessionId]
      }
    }
  })
  return report
}

type OnEvents = (count: number) => void

/** Sessions checked concurrently: most of the time goes into waiting for the store. */
const AT_ONCE = 8

/** Runs the work on each session and yields the results in the order of the sessions. */
async function eachSession<T>(
  deps: Deps,
  id: string | undefined,
  report: { sessions: number; events: number },
  { onProgress }: UpkeepOptions = {},
  work: (sessionId: string, onEvents: OnEvents) => Promise<T[]>,
): Promise<T[]> {
  const only = id === undefined ? undefined : await findSession(deps, id)
  const of =
    only === undefined
      ? await deps.store.totals(deps.within)
      : { sessions: 1, events: (await load(deps, only)).record.head }
  const progress = () => onProgress?.({ sessions: report.sessions, events: report.events, of })
  const onEvents = (count: number) => {
    report.events += count
    progress()
  }
  const found: { at: number; items: T[] }[] = []
  let next = 0
  const ids = only === undefined ? allSessions(deps) : allOf([only])
  const worker = async () => {
    for await (const sessionId of ids) {
      const at = next++
      // several calls check several sessions each: without this, one piece of each would run in the same turn
      await nextTurn()
      try {
        const items = await work(sessionId, onEvents)
        if (items.length > 0) found.push({ at, items })
        report.sessions++
      } catch (error) {
        // purged since the list was read
        if (!(error instanceof SessionNotFoundError)) throw error
      }
      progress()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return found.sort((a, b) => a.at - b.at).flatMap(({ items }) => items)
}

async function* allOf(ids: readonly string[]): AsyncGenerator<string> {
  yield* ids
}

async function* allSessions(deps: Deps): AsyncGenerator<string> {
  const { store, within } = deps
  const query = defined({ limit: LIMITS.page, within })
  for (let ids = await store.sessionIds(query); ids.length > 0; ) {
    yield* ids
    ids = await store.sessionIds({ ...query, after: ids.at(-1) ?? '' })
  }
}

interface Examined {
  stored: SessionView
  /** The views folded from the log; absent if it cannot be folded. */
  folded: SessionView | undefined
  /** The rows of usage folded from the log. */
  usage: readonly DailyUsage[]
  /** Bytes of the log. */
  bytes: number
  /** Edges of tool calls have been derived. */
  hasWork: boolean
  /** Damage of the log itself. */
  damage: Difference[]
  /** What the stored views differ in. */
  differences: Difference[]
}

/**
 * Checks the log and compares the views with it up to the stored head, so writers need not stop. Adds the edges that
 * the log states to `all`.
 */
async function examine(deps: Deps, sessionId: string, onEvents: OnEvents, all?: StoredEdge[]): Promise<Examined> {
  const work = await checkWork(deps, sessionId)
  const stored = await load(deps, sessionId)
  const { head } = stored.record
  const log = new LogCheck(deps, sessionId)
  const { damage } = log
  const edges = new EdgeCheck(sessionId, (after) =>
    deps.store.edges(keyOf(deps, sessionId), { limit: LIMITS.page, tools: work.tools, ...(after && { after }) }),
  )
  const usage = new UsageRows()
  let folded: SessionView | undefined
  let isReadable = true

  const fold = (event: SessionEvent) => {
    if (folded !== undefined) folded = evolve(folded, event)
    else if (event.type === 'session_started') folded = initialView(event)
    usage.add(event)
    const stated = edgesOf(event).map((edge) => ({ ...edge, sequence: event.sequence }))
    edges.add(stated)
    all?.push(...stated)
    const called = work.add(event)
    edges.add(called.edges, called.isOptional)
  }
  const pace = pacer()
  const walk = async (last: number, after: number) => {
    for await (const page of walkChecksummed(deps, keyOf(deps, sessionId), { last, after })) {
      for (const event of page) {
        log.add(event, event.checksum)
        try {
          if (isReadable) fold(sessionEvent(sessionId, event))
        } catch (error) {
          // after damage an event may make no sense
          if (damage.length === 0) throw error
          isReadable = false
        }
        await edges.endEvent(event.sequence)
        await pace()
      }
      onEvents(page.length)
    }
  }

  await walk(head, 0)
  // events beyond a head that does not move are not new: the head is wrong
  const behind = await deps.store.read(keyOf(deps, sessionId), { after: head, order: 'asc', limit: 1 })
  if (behind.length > 0 && (await load(deps, sessionId)).record.head === head) await walk(Number.MAX_SAFE_INTEGER, head)
  await log.finish(head)
  // a log that cannot be folded is reported as such
  const { rows } = usage
  const { bytes } = log
  const hasWork = work.mark.at > 0
  if (folded === undefined || !isReadable) {
    return { stored, folded: undefined, usage: rows, bytes, hasWork, damage, differences: [] }
  }
  await edges.finish(log.next, async () => (await load(deps, sessionId)).record.head !== head)
  const differences = [
    ...differencesOf(sessionId, storedView(deps, folded), withoutLease(storedView(deps, stored))),
    ...work.differences(),
    ...edges.differences,
    ...(await usageDifferences(deps, sessionId, usage, log.next - 1)),
    // of a damaged log it would only repeat the damage
    ...(damage.length > 0 ? [] : await sizeDifferences(deps, sessionId, bytes, log.next - 1)),
  ]
  return { stored, folded, usage: rows, bytes, hasWork, damage, differences }
}

async function load(deps: Deps, sessionId: string): Promise<SessionView> {
  const view = await deps.store.load(keyOf(deps, sessionId))
  if (view === undefined) throw new SessionNotFoundError(sessionId)
  return view
}

/** A lease is not of the log. */
function withoutLease({ leaseUntil: _renewed, ...view }: SessionView): SessionView {
  return view
}

/** Every leaf that differs, by its path. The order of keys does not matter. */
function differencesOf(sessionId: string, expected: SessionView, actual: SessionView): Difference[] {
  const found: Difference[] = []
  compare('', expected as unknown as Json, actual as unknown as Json, (path, want, have) => {
    found.push(defined({ sessionId, field: path, expected: want, actual: have }))
  })
  return found
}

type Report = (path: string, expected: Json | undefined, actual: Json | undefined) => void

function compare(path: string, expected: Json | undefined, actual: Json | undefined, report: Report): void {
  if (!isObject(expected) || !isObject(actual)) {
    if (JSON.stringify(expected) !== JSON.stringify(actual)) report(path, expected, actual)
    return
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    compare(path === '' ? key : `${path}.${key}`, expected[key], actual[key], report)
  }
}
