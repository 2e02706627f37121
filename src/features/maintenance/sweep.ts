import type { SweepOptions, SweepReport } from '../../api.ts'
import { SessionNotFoundError, StorageError, ThroughlineError } from '../../domain/errors.ts'
import { compactSession } from '../compaction/operation.ts'
import { type Deps, keyOf, now } from '../kernel/deps.ts'
import { abortIfDue } from '../lifecycle/operation.ts'

/** Sessions of one batch. */
const BATCH = 100
/** Sessions that are counted at most, for those who want to know how far it is. */
const COUNTED = 100_000
/** How long whoever ended a session is given to make its commit; a model may take its time to sum up. */
const GRACE = 10 * 60_000

/**
 * Ends sessions that nobody came back to, or that have expired, and compacts them; forgets memories that have expired, and old keys of
 * changes to memories. Any number may sweep at once: the end is a decision, so one of them makes it, and only that one goes on to compact.
 */
export async function sweepSessions(deps: Deps, options: SweepOptions = {}): Promise<SweepReport> {
  const report: SweepReport = { swept: 0, compacted: 0, failed: 0, forgotten: 0 }
  await sweepDue(deps, report, options)
  const { forgetExpired, forgetOldKeys } = await import('../memory/operation.ts')
  report.forgotten = await forgetExpired(deps)
  await forgetOldKeys(deps)
  return report
}

async function sweepDue(deps: Deps, report: SweepReport, { onProgress }: SweepOptions): Promise<void> {
  // those that are due and stay so for now: they failed, or somebody else has to do with them
  const left = new Set<string>()
  const of = onProgress === undefined ? 0 : (await due(deps, COUNTED)).length
  let sessions = 0
  for (;;) {
    // those that stay come first each time: twice their number, and a look brings more new ones than old
    const ids = (await due(deps, BATCH + 2 * left.size)).filter((id) => !left.has(id))
    if (ids.length === 0) return
    for (const id of ids) {
      try {
        if (!(await sweepOne(deps, id, report))) left.add(id)
      } catch (error) {
        await requireOwnFailure(deps, error)
        left.add(id)
        report.failed++
      }
      sessions++
      onProgress?.({ sessions, of: Math.max(of, sessions) })
    }
  }
}

/** Throws what is not about the one session: that one which cannot be closed does not keep the others. */
async function requireOwnFailure({ store }: Deps, error: unknown): Promise<void> {
  if (!(error instanceof ThroughlineError)) throw error
  // a value that does not fit, or a store that is gone: then this throws too
  if (error instanceof StorageError) await store.health()
}

async function due(deps: Deps, limit: number): Promise<string[]> {
  return await deps.store.due({
    at: now(deps),
    idleSince: new Date(deps.clock.now() - deps.policy.staleTimeoutMs).toISOString(),
    endedBefore: graceEnd(deps),
    limit,
    ...(deps.within !== undefined && { within: deps.within }),
  })
}

async function sweepOne(deps: Deps, id: string, report: SweepReport): Promise<boolean> {
  try {
    if (await abortIfDue(deps, id)) report.swept++
    else if (!(await isLeft(deps, id))) return false
    await compactSession(deps, id)
    report.compacted++
    return true
  } catch (error) {
    // purged since its id was read
    if (error instanceof SessionNotFoundError) return false
    throw error
  }
}

/** Whether the commit of a session that ended some time ago was never made. */
async function isLeft(deps: Deps, id: string): Promise<boolean> {
  const view = await deps.store.load(keyOf(deps, id))
  return view?.awaitsCommit === true && view.commit === undefined && (view.record.endedAt ?? '') < graceEnd(deps)
}

/** Before it whoever ended a session has had the time to make its commit. */
function graceEnd({ clock }: Deps): string {
  return new Date(clock.now() - GRACE).toISOString()
}
