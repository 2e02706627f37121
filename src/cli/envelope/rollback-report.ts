import type { IntakeStatus, RollbackReport } from '../../api.ts'
import type { Output } from '../output.ts'
import { pluralize, sanitizeLine } from '../text.ts'

/** What a rollback did, or would do, and how the intake is now. */
export interface RollbackResult extends RollbackReport {
  intake: IntakeStatus
}

/** What is not in the report. */
export interface RollbackContext {
  which: { batch?: string; since?: string }
  /** Whether the intake is, or would be, resumed at the end. */
  resume: boolean
  /** `unnamed` where there may be one that we were not told of. */
  cache: 'named' | 'unnamed' | 'none'
  /** What commands to copy need besides. */
  hint: readonly string[]
}

/** A rollback for people, in the steps of the procedure: what was or would be done, and what is left to do. */
export function formatRollback(rolled: RollbackResult, around: RollbackContext, { paint }: Output): string {
  const { dryRun, envelopes } = rolled
  const { batch, since } = around.which
  const those =
    batch === undefined ? `last written since ${sanitizeLine(since ?? '')}` : `of batch ${sanitizeLine(batch)}`
  return [
    // a name that was mistyped looks like this
    ...(envelopes === 0 ? [`There is no envelope ${those}.`, ''] : []),
    paint('bold', dryRun ? 'With --yes it would:' : 'Done:'),
    ...(dryRun ? plannedSteps(rolled, around, those) : completedSteps(rolled, around, those)),
    '',
    paint('bold', dryRun ? 'And leave to you:' : 'Left to do:'),
    ...remainingSteps(around),
    '',
    'No log is touched, and nothing is lost: reads fold envelopes from the logs,',
    'and throughline rebuild stores them again.',
    ...around.hint,
    ...(dryRun ? ['', 'A dry run: nothing was changed.'] : []),
  ].join('\n')
}

const UNNAMED = 'no cache is named; if there is one, give --cache-url'

function plannedSteps(
  { envelopes, intake }: RollbackResult,
  { resume, cache }: RollbackContext,
  those: string,
): string[] {
  const empty = {
    named: 'empty the cache',
    unnamed: `empty no cache: ${UNNAMED}`,
    none: 'empty no cache: the store has none',
  }
  return [
    `  1  pause the intake of new sessions${intake.paused ? `, which is paused since ${intake.since}` : ''}`,
    `  2  ${empty[cache]}`,
    `  3  remove ${pluralize(envelopes, 'envelope')} ${those} from the store`,
    ...(resume ? ['  6  resume the intake'] : []),
  ]
}

function completedSteps(
  { envelopes, cached, intake }: RollbackResult,
  { resume, cache }: RollbackContext,
  those: string,
): string[] {
  const emptied =
    cached === undefined
      ? `emptied no cache: ${cache === 'none' ? 'the store has none' : UNNAMED}`
      : `emptied the cache of ${pluralize(cached, 'envelope')}`
  return [
    `  1  paused the intake of new sessions${intake.since === undefined ? '' : `, since ${intake.since}`}`,
    `  2  ${emptied}`,
    `  3  removed ${pluralize(envelopes, 'envelope')} ${those} from the store`,
    ...(resume ? ['  6  resumed the intake'] : []),
  ]
}

function remainingSteps({ resume, cache }: RollbackContext): string[] {
  const rest = [
    resume
      ? '  4  throughline rebuild: stores the envelopes again'
      : '  4  set SESSION_ENVELOPE_ENABLED=false where Throughline runs, and restart it',
    ...(cache === 'none' ? [] : ['  5  where envelopes stay on: throughline warm, or throughline warm --from FILE']),
    ...(resume ? [] : ['  6  throughline intake resume']),
    '     and watch session_envelope_refresh_total{result="error"}',
  ]
  return cache === 'none' ? rest : [...rest, '     and the hit ratio of session_envelope_cache_events_total']
}
