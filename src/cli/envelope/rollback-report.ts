import type { IntakeStatus, RollbackReport } from '../../api.ts'
import type { Output } from '../output.ts'
import { pluralize, sanitizeLine } from '../text.ts'

/** Result or preview of a rollback, with the current state of the intake. */
export interface RollbackResult extends RollbackReport {
  intake: IntakeStatus
}

/** Facts that are not in the report. */
export interface RollbackContext {
  which: { batch?: string; since?: string }
  /** Whether the intake is, or would be, resumed at the end. */
  resume: boolean
  /** `unnamed`: there may be one, but no URL was given. */
  cache: 'named' | 'unnamed' | 'none'
  /** Options that the printed commands need. */
  hint: readonly string[]
}

/** Formats a rollback as numbered steps: done or planned ones, then the ones left to the operator. */
export function formatRollback(rolled: RollbackResult, around: RollbackContext, { paint }: Output): string {
  const { dryRun, envelopes } = rolled
  const { batch, since } = around.which
  const those =
    batch === undefined ? `last written since ${sanitizeLine(since ?? '')}` : `of batch ${sanitizeLine(batch)}`
  return [
    // shows a mistyped name
    ...(envelopes === 0 ? [`There are no envelopes ${those}.`, ''] : []),
    paint('bold', dryRun ? 'With --yes this would:' : 'Done:'),
    ...(dryRun ? plannedSteps(rolled, around, those) : completedSteps(rolled, around, those)),
    '',
    paint('bold', dryRun ? 'Then you would:' : 'Next steps:'),
    ...remainingSteps(around),
    '',
    'Logs are not touched and nothing is lost: envelopes are computed from the logs,',
    'and throughline rebuild stores them again.',
    ...around.hint,
    ...(dryRun ? ['', 'Dry run: nothing was changed.'] : []),
  ].join('\n')
}

const UNNAMED = 'no cache URL is set; if you use a cache, pass --cache-url'

function plannedSteps(
  { envelopes, intake }: RollbackResult,
  { resume, cache }: RollbackContext,
  those: string,
): string[] {
  const empty = {
    named: 'empty the cache',
    unnamed: `skip the cache: ${UNNAMED}`,
    none: 'skip the cache: the store has none',
  }
  return [
    `  1  pause the intake of new sessions${intake.paused ? ` (already paused since ${intake.since})` : ''}`,
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
      ? `skipped the cache: ${cache === 'none' ? 'the store has none' : UNNAMED}`
      : `removed ${pluralize(cached, 'envelope')} from the cache`
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
      ? '  4  store the envelopes again: throughline rebuild'
      : '  4  set SESSION_ENVELOPE_ENABLED=false for every Throughline process and restart them',
    ...(cache === 'none' ? [] : ['  5  if envelopes stay enabled: throughline warm, or throughline warm --from FILE']),
    ...(resume ? [] : ['  6  accept new sessions again: throughline intake resume']),
    '     watch the metric session_envelope_refresh_total{result="error"}',
  ]
  return cache === 'none' ? rest : [...rest, '     and the hit ratio in session_envelope_cache_events_total']
}
