import { useEffect, useMemo } from 'preact/hooks'
import { Loading, ProblemNote } from '../../parts/notes.tsx'
import { useRequest } from '../../parts/use-request.ts'
import type { SessionData } from '../../session/session-data.ts'
import { buildMarkRows, completeSince } from './changes.ts'
import { Documents } from './documents.tsx'
import { MomentCard } from './moment-card.tsx'
import { ScratchpadHistory } from './scratchpad-history.tsx'
import { Slider } from './slider.tsx'
import { SnapshotLoader } from './snapshot-loader.ts'
import { TimeControls } from './time-controls.tsx'
import css from './time-view.module.css'
import { useChanges } from './use-changes.ts'
import { usePosition } from './use-position.ts'

/** The session at any moment, and its changes. */
export function TimeView({ data }: { data: SessionData }) {
  const head = data.head.value
  const changes = useChanges(data)
  const { known } = changes
  const rows = useMemo(() => buildMarkRows(known.events, head), [known.events, head])
  const moments = useMemo(() => new SnapshotLoader(data), [data])
  const place = usePosition(head)
  const { sequence, isFollowing, pinned } = place
  useEffect(() => moments.request(sequence, isFollowing), [moments, sequence, isFollowing])
  useEffect(() => () => moments.cancel(), [moments])
  const other = useRequest(pinned === undefined ? undefined : (signal) => moments.snapshot(pinned, signal), [pinned])
  const compared = pinned === undefined || other.value?.sequence !== pinned ? undefined : other.value
  const moment = moments.shown.value
  return (
    <div class="stack">
      <section class="card stack-2" aria-label="Time slider">
        <TimeControls id={data.id} head={head} place={place} known={known} isLoading={moments.isLoading.value} />
        <Slider sequence={sequence} head={head} rows={rows} onMove={place.go} />
        {!changes.isLoading && completeSince(known) > 1 && (
          <p class="muted small">Only the most recent changes are marked. “Previous change” finds older ones.</p>
        )}
      </section>
      <ProblemNote problem={moments.problem.value} onRetry={() => moments.retry()} />
      <ProblemNote problem={changes.problem} onRetry={changes.reload} />
      <ProblemNote problem={other.problem} onRetry={other.reload} />
      {moment === undefined && moments.problem.value === undefined && <Loading />}
      {moment !== undefined && (
        <div class={css.columns}>
          <MomentCard moment={moment} other={compared?.record} />
          <div class={css.documents}>
            <Documents {...{ data, moments, moment, known, pinned }} isRead={!changes.isLoading} other={compared} />
          </div>
          <ScratchpadHistory known={known} sequence={sequence} onMove={place.go} />
        </div>
      )}
    </div>
  )
}
