import { useRef } from 'preact/hooks'
import { now } from '../../parts/time.tsx'
import { useVirtual } from '../../parts/use-virtual.ts'
import type { SessionData } from '../../session/session-data.ts'
import { dayAbove } from './days.ts'
import css from './event-list.module.css'
import { EventRow } from './event-row.tsx'
import { missingFor, type Related, type RelatedEvents } from './related-events.ts'
import type { Rows } from './rows.ts'
import { callsIn, type LogView } from './tool-calls.ts'
import type { TurnNumbers } from './turn-numbers.ts'
import { useLoadVisible } from './use-load-visible.ts'
import { ABOVE, useRowFocus } from './use-row-focus.ts'
import { NEAR, ROW, useEdges, useScrollTarget } from './use-scroll-target.ts'

/** Milliseconds after a click in which the list does not stick to its end, so that an opened row grows downwards. */
const CALM = 400

interface Props {
  data: SessionData
  rows: Rows
  known: LogView
  links: RelatedEvents
  turns: TurnNumbers
  /** Whether the rows are the whole log, which loads as it becomes visible. */
  isLog: boolean
  /** The event to scroll to; without one, the list starts at its end. */
  target: number | undefined
  /** The event that the address names, whether it is in the list or not. */
  named: number | undefined
  /** Scrolls there again whenever it changes. */
  round: number
  open: ReadonlySet<string>
  onToggle: (sequence: number, call?: number) => void
  /** Called when the reader reaches or leaves the end. */
  onEnd: (isAtEnd: boolean) => void
  /** Called when the reader reaches the start of the list. */
  onStart?: () => void
  /** Goes to the first or last event of the log, which may be outside the list. */
  onEdge?: (edge: 'first' | 'last') => void
}

/** A list of events that draws only the visible ones. */
export function EventList(props: Props) {
  const { rows, known, links, turns, named, open, onToggle } = props
  const box = useRef<HTMLDivElement>(null)
  const calmUntil = useRef(0)
  const virtual = useVirtual({
    count: rows.count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    getItemKey: rows.sequenceAt,
    overscan: 10,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: performance.now() < calmUntil.current ? -1 : NEAR,
    scrollPaddingStart: ABOVE,
  })
  const focus = useRowFocus(virtual, box, props)
  useScrollTarget(virtual, props, focus)

  const calm = () => {
    calmUntil.current = performance.now() + CALM
    virtual.options.scrollEndThreshold = -1
    // otherwise a row that grows while it scrolls into view is followed to its end
    virtual.cancelScroll()
  }

  const items = virtual.getVirtualItems()
  const linked = items.map(({ index }) => {
    const event = rows.eventAt(index)
    return event === undefined ? undefined : links.of(event, known, turns)
  })
  useLoadVisible({ ...props, virtual, missing: linked.flatMap((link) => (link && missingFor(link)) ?? []) })
  useEdges(virtual, props)

  return (
    <div
      ref={box}
      class={css.box}
      role="feed"
      aria-label="Events"
      aria-busy={items.some((_, i) => linked[i] === undefined)}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Enter') calm()
        focus.onKey(event)
      }}
      onFocusIn={focus.onFocus}
      onWheel={focus.onScroll}
      onTouchMove={focus.onScroll}
      onPointerDown={focus.onScroll}
      onClickCapture={calm}
    >
      <div class={css.all} style={{ height: `${virtual.getTotalSize()}px` }}>
        <div class={css.drawn} style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map(({ index, key }, i) => {
            const sequence = Number(key)
            return (
              <article
                key={key}
                ref={virtual.measureElement}
                class={css.item}
                data-index={index}
                data-sequence={sequence}
                aria-posinset={props.isLog ? sequence : index + 1}
                aria-setsize={props.isLog ? known.head : rows.count}
                aria-label={labelOf(rows, index)}
                aria-current={sequence === named ? 'true' : undefined}
                tabIndex={sequence === focus.active ? 0 : -1}
              >
                <Item rows={rows} index={index} link={linked[i]} named={named} open={open} onToggle={onToggle} />
              </article>
            )
          })}
        </div>
      </div>
    </div>
  )
}

type ItemProps = Pick<Props, 'rows' | 'named' | 'open' | 'onToggle'> & { index: number; link: Related | undefined }

function Item({ rows, index, link, named, open, onToggle }: ItemProps) {
  const event = rows.eventAt(index)
  if (event === undefined || link === undefined)
    return <p class={css.unloaded}>#{rows.sequenceAt(index).toLocaleString('en')}</p>
  const { sequence } = event
  const openCalls = link.outcomes.length === 0 ? '' : openAmong(open, sequence, callsIn(event).length)
  return (
    <EventRow
      event={event}
      link={link}
      day={dayAbove(event, index === 0 ? null : rows.eventAt(index - 1), now.value)}
      isNamed={sequence === named}
      isOpen={open.has(`${sequence}`)}
      openCalls={openCalls}
      onToggle={onToggle}
    />
  )
}

function openAmong(open: ReadonlySet<string>, sequence: number, calls: number): string {
  const places = Array.from({ length: Math.min(calls, 50) }, (_, place) => place)
  return places.filter((place) => open.has(`${sequence}/${place}`)).join(',')
}

function labelOf(rows: Rows, index: number): string {
  const type = rows.eventAt(index)?.type.replaceAll('_', ' ').slice(0, 60) ?? 'not loaded'
  return `Event ${rows.sequenceAt(index)}: ${type}`
}
