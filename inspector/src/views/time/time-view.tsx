import { useEffect, useMemo } from 'preact/hooks'
import { Loading, ProblemNote } from '../../parts/notes.tsx'
import { useAnswer } from '../../parts/use-answer.ts'
import { useEventsOf } from '../../session/events-of.ts'
import type { SessionData } from '../../session/session-data.ts'
import { Documents } from './documents.tsx'
import { History } from './history.tsx'
import { CHANGE_TYPES, markRows } from './marks.ts'
import { MomentCard } from './moment-card.tsx'
import { Moments } from './moments.ts'
import { Moves } from './moves.tsx'
import { Slider } from './slider.tsx'
import css from './time-view.module.css'
import { usePlace } from './use-place.ts'

/** Changes that are marked and listed: the last ones. */
const MOST = 1000

/** The session as it was at any moment, and what had changed by then. */
export function TimeView({ data }: { data: SessionData }) {
  const head = data.head.value
  const known = useEventsOf(data, CHANGE_TYPES, MOST)
  const rows = useMemo(() => markRows(known.events, head), [known.events, head])
  const moments = useMemo(() => new Moments(data), [data])
  const place = usePlace(head)
  const { sequence, isFollowing, pinned } = place
  useEffect(() => moments.want(sequence, isFollowing), [moments, sequence, isFollowing])
  useEffect(() => () => moments.stop(), [moments])
  const other = useAnswer(pinned === undefined ? undefined : (signal) => moments.snapshot(pinned, signal), [pinned])
  const compared = pinned === undefined || other.value?.sequence !== pinned ? undefined : other.value
  const moment = moments.shown.value
  return (
    <div class={css.time}>
      <section class={`card ${css.head}`} aria-label="Slider">
        <Moves id={data.id} head={head} place={place} known={known} isLoading={moments.isLoading.value} />
        <Slider sequence={sequence} head={head} rows={rows} onMove={place.go} />
        {known.hasMore && (
          <p class="muted small">
            Marks of the last {MOST.toLocaleString('en')} changes. Older ones are not marked, but “Previous change”
            finds them.
          </p>
        )}
      </section>
      <ProblemNote problem={moments.problem.value} onRetry={() => moments.again()} />
      <ProblemNote problem={known.problem} onRetry={known.again} />
      <ProblemNote problem={other.problem} onRetry={other.again} />
      {moment === undefined && moments.problem.value === undefined && <Loading />}
      {moment !== undefined && (
        <div class={css.columns}>
          <MomentCard moment={moment} other={compared?.record} />
          <div class={css.documents}>
            <Documents data={data} moments={moments} moment={moment} known={known} pinned={pinned} other={compared} />
          </div>
          <History known={known} sequence={sequence} onMove={place.go} />
        </div>
      )}
    </div>
  )
}
