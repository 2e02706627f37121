import type { SweepOptions, SweepReport } from '../../api.ts'
import { SessionNotFoundError, StorageError, ThroughlineError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { type Deps, keyOf, now } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { abortIfDue, compactWithChildren, isDue } from '../lifecycle/operation.ts'
import { sweepOptions } from './schema.ts'

/** Sessions per batch. */
const BATCH = 100
/** Sessions to count at most for progress reports. */
const MAX_COUNTED = 100_000
/** Milliseconds that the process that ended a session has to make its commit; a model may take long to summarise. */
const GRACE_MS = 10 * 60_000

/**
 * Ends and compacts stale and expired sessions; forgets expired memories and old idempotency keys of memory changes;
 * completes interrupted and pending purges.
 * Any number of processes may sweep at once: the end is a decision, so exactly one makes it and goes on to compact.
 */
export async function sweepSessions(deps: Deps, options: SweepOptions = {}): Promise<SweepReport> {
  const { sessionIds } = parse(sweepOptions, options)
  // on a wrong time it would end sessions that are in use
  if (deps.clock === deps.store.clock) await deps.store.clock.sync()
  const report: SweepReport = { swept: 0, compacted: 0, failed: 0, forgotten: 0 }
  if (sessionIds !== undefined) {
    await sweepListed(deps, report, sessionIds, options)
    return report
  }
  await sweepDue(deps, report, options)
  const { forgetExpired, forgetOldKeys } = await import('../memory/operation.ts')
  report.forgotten = await forgetExpired(deps)
  await forgetOldKeys(deps)
  await discardAbandoned(deps)
  await deps.store.erase()
  return report
}

/** Completes purges, and removes copies of forks, whose process has ended. */
async function discardAbandoned({ store, within }: Deps): Promise<void> {
  for (;;) {
    const ids = await store.imports.unfinished(defined({ limit: LIMITS.page, within, abandoned: true }))
    if (ids.length === 0) return
    for (const sessionId of ids) await store.imports.discard({ sessionId })
  }
}

async function sweepDue(deps: Deps, report: SweepReport, { onProgress }: SweepOptions): Promise<void> {
  // sessions that are due and stay due: they failed, or another process handles them
  const left = new Set<string>()
  const of = onProgress === undefined ? 0 : (await due(deps, MAX_COUNTED)).length
  let sessions = 0
  for (;;) {
    // these come first each time: asking for twice their number returns more new ones than old
    const ids = (await due(deps, BATCH + 2 * left.size)).filter((id) => !left.has(id))
    if (ids.length === 0) return
    for (const id of ids) {
      try {
        if (!(await sweepOne(deps, id, report))) left.add(id)
      } catch (error) {
        await rethrowUnlessLocal(deps, error)
        left.add(id)
        report.failed++
      }
      sessions++
      onProgress?.({ sessions, of: Math.max(of, sessions) })
    }
  }
}

/** Sweeps those of the sessions that are due. */
async function sweepListed(
  deps: Deps,
  report: SweepReport,
  ids: readonly string[],
  { onProgress }: SweepOptions,
): Promise<void> {
  for (const [i, id] of ids.entries()) {
    try {
      const record = await deps.store.record(keyOf(deps, id))
      const isOver = record !== undefined && (record.endedAt !== undefined || isDue(deps, record, now(deps)))
      if (isOver) await sweepOne(deps, id, report)
    } catch (error) {
      await rethrowUnlessLocal(deps, error)
      report.failed++
    }
    onProgress?.({ sessions: i + 1, of: ids.length })
  }
}

/** Rethrows an error that is not about this one session, which must not stop the others. */
async function rethrowUnlessLocal({ store }: Deps, error: unknown): Promise<void> {
  if (!(error instanceof ThroughlineError)) throw error
  // a value that does not fit, or a store that is gone: health() throws for the latter
  if (error instanceof StorageError) await store.health()
}

async function due(deps: Deps, limit: number): Promise<string[]> {
  return await deps.store.due(
    defined({
      at: now(deps),
      idleSince: new Date(deps.clock.now() - deps.policy.staleTimeoutMs).toISOString(),
      endedBefore: graceEnd(deps),
      limit,
      within: deps.within,
    }),
  )
}

async function sweepOne(deps: Deps, id: string, report: SweepReport): Promise<boolean> {
  try {
    if (await abortIfDue(deps, id)) report.swept++
    else if (!(await isLeft(deps, id))) return false
    await compactWithChildren(deps, id)
    report.compacted++
    return true
  } catch (error) {
    // purged since the list was read
    if (error instanceof SessionNotFoundError) return false
    throw error
  }
}

/** Whether the commit of a session that ended before the grace period was never made. */
async function isLeft(deps: Deps, id: string): Promise<boolean> {
  const view = await deps.store.load(keyOf(deps, id))
  return view?.awaitsCommit === true && view.commit === undefined && (view.record.endedAt ?? '') < graceEnd(deps)
}

/** Sessions that ended before this time should have their commit by now. */
function graceEnd({ clock }: Deps): string {
  return new Date(clock.now() - GRACE_MS).toISOString()
}
