import type { ComponentChildren } from 'preact'
import type { SessionEvent, SessionRecord } from '../../api/types.ts'
import { Fact } from '../../parts/fact.tsx'
import { StateBadge, statusText } from '../../parts/status.tsx'
import { formatTime } from '../../parts/time.tsx'
import { oneLine, preview } from '../../parts/visible.ts'
import { eventHref } from '../../route.ts'
import { ChangeArrow } from './change-arrow.tsx'
import type { Moment } from './snapshot-loader.ts'
import css from './time-view.module.css'

/** The event of a moment and the session after it, compared with another moment if given. */
export function MomentCard({ moment, other }: { moment: Moment; other: SessionRecord | undefined }) {
  const { snapshot, event } = moment
  return (
    <section class="card stack-2" aria-label="Moment">
      <header class="facts between">
        <h2>After event #{snapshot.sequence.toLocaleString('en')}</h2>
      </header>
      {event !== undefined && <EventLine id={snapshot.record.id} event={event} />}
      <dl class="pairs">
        {listFacts(snapshot.record).map(([name, text, show], i) => {
          const before = other && listFacts(other)[i]
          const isOther = before !== undefined && before[1] !== text
          return (
            <Fact key={name} name={name}>
              {isOther && (
                <>
                  <span class="muted">{before[2]}</span>
                  <ChangeArrow />
                </>
              )}
              {show}
            </Fact>
          )
        })}
      </dl>
    </section>
  )
}

function EventLine({ id, event }: { id: string; event: SessionEvent }) {
  const { type, sequence, content, agentId, role, createdAt } = event
  return (
    <div class={css.event}>
      <p>
        <a class="mono" href={eventHref(id, sequence)} aria-label={`${type}, event ${sequence} in the timeline`}>
          {oneLine(type, 60)}
        </a>{' '}
        <span class="muted small">
          by <bdi>{oneLine(agentId ?? role, 60)}</bdi>, <time dateTime={createdAt}>{formatTime(createdAt)}</time>
        </span>
      </p>
      {content !== '' && (
        <p class="small" dir="auto">
          {preview(content, 240)}
        </p>
      )}
    </div>
  )
}

/** Name, text to compare by, and display of a fact. */
type FactRow = readonly [name: string, text: string, show: ComponentChildren]

function listFacts({ status, activeAgent, turns, lastActivityAt, endedAt }: SessionRecord): FactRow[] {
  const text = statusText(status)
  const moment = (at: string) => <time dateTime={at}>{formatTime(at)}</time>
  return [
    ['state', status.state, <StateBadge state={status.state} />],
    ['agent', activeAgent, oneLine(activeAgent, 80)],
    ['turns', String(turns), turns.toLocaleString('en')],
    ['last activity', lastActivityAt, moment(lastActivityAt)],
    ['ended', endedAt ?? '', endedAt === undefined ? 'no' : moment(endedAt)],
    ...(text === '' ? [] : [['text', text, preview(text, 240)] as const]),
  ]
}
