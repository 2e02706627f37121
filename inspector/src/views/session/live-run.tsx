import type { SessionRecord } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { RunBadge } from '../../parts/run-badge.tsx'
import { runState } from '../../parts/run-state.ts'
import { isOver } from '../../parts/status.tsx'
import { Ago } from '../../parts/time.tsx'
import { oneLine, preview } from '../../parts/visible.ts'
import { sessionHref } from '../../route.ts'
import type { ActionRunner } from '../actions/action-runner.ts'
import { ACTIONS } from '../actions/action-table.ts'
import css from './session-head.module.css'

/** The live run, with a button that stops it. Nothing without one. */
export function LiveRun({ record, runner }: { record: SessionRecord; runner: ActionRunner }) {
  const { run } = record
  if (run === undefined || isOver(record)) return null
  const { generation, worker, startedAt, cancelled } = run
  return (
    <section class={css.run} aria-label="Live run">
      <a href={sessionHref(record.id, 'runs')}>Run {generation.toLocaleString('en')}</a>
      <span role="status">
        <RunBadge state={runState(run)} />
      </span>
      {worker !== undefined && (
        <span class={css.worker} dir="auto">
          {oneLine(worker, 60)}
        </span>
      )}
      <span class="muted small nowrap">
        started <Ago at={startedAt} />
      </span>
      {cancelled === undefined ? (
        <Button look="small" text={`${ACTIONS.cancel.name} …`} onClick={() => runner.open('cancel')} />
      ) : (
        <span class={`${css.reason} muted small`}>
          asked <Ago at={cancelled.at} />
          {cancelled.reason !== undefined && (
            <>
              : <bdi>{preview(cancelled.reason)}</bdi>
            </>
          )}
        </span>
      )}
    </section>
  )
}
