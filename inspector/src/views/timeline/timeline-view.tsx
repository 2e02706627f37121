import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { isExpired } from '../../parts/status.tsx'
import { eventHref, go, query, setQuery } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import type { Known } from './calls.ts'
import { EventList } from './event-list.tsx'
import { FilteredLog } from './filtered-log.ts'
import { KINDS, type Show, showOf } from './kinds.ts'
import { Links } from './links.ts'
import { RangeBar } from './range-bar.tsx'
import { endOf, holds, isLast, type Range, rangeWith } from './ranges.ts'
import { type Rows, rowsOfEvents, rowsOfLog } from './rows.ts'
import css from './timeline-view.module.css'
import { Toolbar } from './toolbar.tsx'
import { Turns } from './turns.ts'

/** The log of one session, by turns, as it is written. */
export function TimelineView({ data }: { data: SessionData }) {
  const show = showOf(query.value.get('show'))
  const asked = Number(query.value.get('event') ?? Number.NaN)
  const head = data.head.value
  const isThere = Number.isInteger(asked) && asked >= 1 && asked <= head
  const shared = useShared(data)
  return (
    <div class={css.timeline}>
      <Toolbar show={show} head={head} onGo={(sequence) => go(eventHref(data.id, sequence))} />
      {query.value.has('event') && !isThere && (
        <p class="note small" role="status">
          There is no such event: the log has the events 1 to {head.toLocaleString('en')}.
        </p>
      )}
      <ProblemNote problem={data.log.problem.value} onRetry={() => retry(data)} />
      {show === 'all' ? (
        <WholeLog data={data} shared={shared} target={isThere ? asked : undefined} />
      ) : (
        <SomeEvents key={show} data={data} shared={shared} show={show} />
      )}
    </div>
  )
}

/** What both lists go by. */
interface Shared {
  readonly known: Known
  readonly links: Links
  readonly turns: Turns
  readonly open: ReadonlySet<string>
  readonly onToggle: (sequence: number, call?: number) => void
}

function useShared(data: SessionData): Shared {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const turns = useMemo(() => new Turns(), [data])
  const links = useMemo(() => new Links(), [data])
  const record = data.record.value
  if (record !== undefined) turns.note(record.head, record.turns)
  // something was loaded: draw again
  void data.log.version.value
  const isLive = record !== undefined && record.endedAt === undefined && !isExpired(record)
  const onToggle = useCallback((sequence: number, call?: number) => {
    const key = call === undefined ? `${sequence}` : `${sequence}/${call}`
    setOpen((before) => (before.has(key) ? without(before, key) : new Set([...before, key])))
  }, [])
  const known = { peek: (sequence: number) => data.log.peek(sequence), head: data.head.value, isLive }
  return { known, links, turns, open, onToggle }
}

function WholeLog({ data, shared, target }: { data: SessionData; shared: Shared; target: number | undefined }) {
  const { head } = shared.known
  const [range, setRange] = useState<Range>(() => rangeWith(target ?? head, head))
  const shown = target !== undefined && !holds(range, target, head) ? rangeWith(target, head) : range
  useEffect(() => setRange(shown), [shown.from])
  const end = useEnd(head, isLast(shown, head))
  const sequenceAt = useCallback((index: number) => shown.from + index, [shown.from])
  const rows: Rows = { ...rowsOfLog(shown.from, endOf(shown, head), shared.known.peek), sequenceAt }
  const open = (sequence: number) => {
    setQuery({ event: undefined })
    setRange(rangeWith(sequence, head))
  }
  return (
    <>
      <RangeBar range={shown} head={head} onOpen={(sequence) => go(eventHref(data.id, sequence))} />
      <div class={css.frame}>
        <EventList
          key={shown.from}
          round={end.round}
          data={data}
          rows={rows}
          isLog
          target={target}
          {...shared}
          onEnd={end.onEnd}
          onStart={() => undefined}
          onEdge={(edge) => {
            const sequence = edge === 'first' ? 1 : head
            if (!holds(shown, sequence, head)) go(eventHref(data.id, sequence))
          }}
        />
        <NewEvents
          count={end.unseen}
          onClick={() => {
            open(head)
            end.again()
          }}
        />
      </div>
    </>
  )
}

function SomeEvents({ data, shared, show }: { data: SessionData; shared: Shared; show: Show }) {
  const log = useMemo(() => new FilteredLog(data, KINDS[show]), [data, show])
  useEffect(() => log.start(), [log])
  const events = log.events.value
  const rows = useMemo(() => rowsOfEvents(events), [events])
  const end = useEnd(events.length, true)
  const from = log.from.value
  if (events.length === 0 && from > 1 && log.isLoading.value) return <Loading what="Looking through the log" />
  return (
    <>
      <ProblemNote problem={log.problem.value} onRetry={() => void log.more()} />
      <div class="row small muted">
        <span role="status">
          {events.length.toLocaleString('en')} {events.length === 1 ? 'event' : 'events'}
          {from > 1 && Number.isFinite(from) && ` since event ${from.toLocaleString('en')}`}
          {log.isFull && '; older ones are not shown here'}
        </span>
        {log.hasMore && (
          <button type="button" class="button small" disabled={log.isLoading.value} onClick={() => void log.more()}>
            Look further back
          </button>
        )}
      </div>
      {events.length === 0 ? (
        <Empty title={from > 1 ? 'None so far.' : 'There are no such events in this session.'}>
          <p>{KINDS[show].title}.</p>
        </Empty>
      ) : (
        <div class={css.frame}>
          <EventList
            round={end.round}
            data={data}
            rows={rows}
            isLog={false}
            target={undefined}
            {...shared}
            onEnd={end.onEnd}
            onStart={() => void log.moreByItself()}
            onEdge={() => undefined}
          />
          <NewEvents count={end.unseen} onClick={end.again} />
        </div>
      )}
    </>
  )
}

/** How many rows came at the end since the reader was last there; `again` goes back there. */
function useEnd(last: number, isOpen: boolean) {
  const [isAtEnd, setAtEnd] = useState(true)
  const [round, setRound] = useState(0)
  const seen = useRef(last)
  if (isAtEnd && isOpen) seen.current = last
  return {
    unseen: last - seen.current,
    round,
    onEnd: useCallback((now: boolean) => setAtEnd(now), []),
    again: () => {
      setAtEnd(true)
      setRound(round + 1)
    },
  }
}

function NewEvents({ count, onClick }: { count: number; onClick: () => void }) {
  return (
    <div class={css.news} role="status">
      {count > 0 && (
        <button type="button" class="button primary small" onClick={onClick}>
          {count.toLocaleString('en')} new {count === 1 ? 'event' : 'events'}
        </button>
      )}
    </div>
  )
}

function retry(data: SessionData): void {
  data.log.problem.value = undefined
  data.log.version.value++
}

function without(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return new Set([...set].filter((one) => one !== key))
}
