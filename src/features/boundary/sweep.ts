import type { SweepOptions, SweepReport } from '../../api.ts'
import { SessionNotFoundError, StorageError, ThroughlineError } from '../../domain/errors.ts'
import { endOf, type SessionRecord } from '../../domain/record.ts'
import { EXPIRED } from '../../domain/resume.ts'
import { compactSession } from '../compaction/operation.ts'
import { type Deps, keyOf, now } from '../deps.ts'
import { takeSteps } from './lifecycle.ts'

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
  const failed = new Set<string>()
  const of = onProgress === undefined ? 0 : (await due(deps, COUNTED)).length
  let sessions = 0
  for (;;) {
    const ids = await due(deps, BATCH)
    let done = 0
    for (const id of ids.filter((each) => !failed.has(each))) {
      try {
        if (await sweepOne(deps, id, report)) done++
      } catch (error) {
        // one session that cannot be closed does not keep the others
        if (!(error instanceof ThroughlineError) || error instanceof StorageError) throw error
        failed.add(id)
        report.failed = failed.size
      }
      sessions++
      onProgress?.({ sessions, of: Math.max(of, sessions) })
    }
    if (ids.every((id) => failed.has(id))) return
    // a full batch in which nothing was to do holds what others swept or came back to meanwhile: there may be more behind it
    if (done === 0 && ids.length < BATCH) return
  }
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
    const { taken } = await takeSteps(deps, id, [{ do: 'abort', reason: EXPIRED }], {
      unless: (record, at) => !isDue(deps, record, at),
    })
    if (taken) report.swept++
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
  return view?.awaitsCommit === true && (view.record.endedAt ?? '') < graceEnd(deps)
}

/** Before it whoever ended a session has had the time to make its commit. */
function graceEnd({ clock }: Deps): string {
  return new Date(clock.now() - GRACE).toISOString()
}

/** Whether the session is still to be ended at this moment: someone may have come back. */
export function isDue({ policy }: Deps, record: SessionRecord, at: string): boolean {
  if (record.endedAt !== undefined) return false
  return endOf(record, at) !== undefined || Date.parse(at) - Date.parse(record.lastActivityAt) > policy.staleTimeoutMs
}
