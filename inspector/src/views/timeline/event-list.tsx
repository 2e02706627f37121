import { useRef } from 'preact/hooks'
import { now } from '../../parts/time.tsx'
import { useVirtual } from '../../parts/use-virtual.ts'
import { type HiddenPart, hiddenAt } from '../../session/rewinds.ts'
import type { SessionData } from '../../session/session-data.ts'
import { dayAbove } from './days.ts'
import css from './event-list.module.css'
import { EventRow } from './event-row.tsx'
import { NoiseRow, StepsRow } from './group-row.tsx'
import { type Entry, isGroup } from './grouped-rows.ts'
import { missingFor, type Related, type RelatedEvents } from './related-events.ts'
import type { Rows } from './rows.ts'
import { countBetween, type SubAgentIndex } from './sub-agent-index.ts'
import { callsIn, type LogView } from './tool-calls.ts'
import type { TurnNumbers } from './turn-numbers.ts'
import type { TurnTotalsCache } from './turn-totals.ts'
import type { Group } from './use-groups.ts'
import { useHighlights } from './use-highlights.ts'
import { useLoadVisible } from './use-load-visible.ts'
import { ABOVE, type ListKeys, useRowFocus } from './use-row-focus.ts'
import { GAP, NEAR, ROW, useEdges, useKeepPlace, useScrollTarget } from './use-scroll-target.ts'

/** Milliseconds after a click in which the list does not stick to its end, so that an opened row grows downwards. */
const CALM = 400

interface Props extends ListKeys {
  data: SessionData
  rows: Rows
  known: LogView
  links: RelatedEvents
  turns: TurnNumbers
  totals: TurnTotalsCache
  /** Whether the rows are the whole log, which loads as it becomes visible. */
  isLog: boolean
  /** The event to scroll to; without one, the list starts at its end. */
  target: number | undefined
  /** The event that the address names, whether it is in the list or not. */
  named: number | undefined
  /** Scrolls there again whenever it changes. */
  round: number
  /** Sub-agents by the event that called them. */
  subAgents: SubAgentIndex
  /** The text to highlight. */
  find: string
  open: ReadonlySet<string>
  onToggle: (sequence: number, call?: number) => void
  /** Parts that rewinds took off the current line. */
  hidden: readonly HiddenPart[]
  /** Offers another text for a user message; absent if the session is over. */
  onEdit: ((sequence: number, text: string) => void) | undefined
  onToggleGroup: (group: Group) => void
  /** Set to a function that tells the key of the row where the reader is. */
  place: { current: () => number }
  /** Called when the reader reaches or leaves the end. */
  onEnd: (isAtEnd: boolean) => void
  /** Called when the reader reaches the start of the list. */
  onStart?: () => void
}

/** A list of events that draws only the visible ones. */
export function EventList(props: Props) {
  const { rows, known, links, turns, named } = props
  const box = useRef<HTMLDivElement>(null)
  const calmUntil = useRef(0)
  const virtual = useVirtual({
    count: rows.count,
    getScrollElement: () => box.current,
    estimateSize: (index) => (rows.entryAt(index)?.kind === 'gap' ? GAP : ROW),
    getItemKey: rows.keyAt,
    overscan: 10,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: performance.now() < calmUntil.current ? -1 : NEAR,
    scrollPaddingStart: ABOVE,
  })
  const toggleRow = (index: number) => {
    const entry = rows.entryAt(index)
    if (entry !== undefined && isGroup(entry)) props.onToggleGroup(entry)
    else if (entry !== undefined) props.onToggle(entry.from)
  }
  const focus = useRowFocus(virtual, box, { ...props, onToggleRow: toggleRow })
  props.place.current = focus.place
  useKeepPlace(virtual, props, focus)
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
  const isLoading = (index: number, i: number) => linked[i] === undefined && !isGroupAt(rows, index)
  useLoadVisible({ ...props, virtual, missing: linked.flatMap((link) => (link && missingFor(link)) ?? []) })
  useEdges(virtual, props)
  useHighlights(box, props.find)

  return (
    <div
      ref={box}
      class={css.box}
      role="feed"
      aria-label="Events"
      aria-busy={items.some(({ index }, i) => isLoading(index, i))}
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
            const position = Math.ceil(Number(key))
            return (
              <article
                key={key}
                ref={virtual.measureElement}
                class={css.item}
                data-index={index}
                data-sequence={key}
                data-hidden={hiddenAt(props.hidden, rows.entryAt(index)?.to ?? 0) && ''}
                data-depth={rows.entryAt(index)?.depth || undefined}
                aria-posinset={props.isLog ? position : index + 1}
                aria-setsize={props.isLog ? known.head : rows.count}
                aria-label={labelOf(rows, index, props.hidden)}
                aria-current={Number(key) === named ? 'true' : undefined}
                tabIndex={Number(key) === focus.active ? 0 : -1}
              >
                <Item {...props} index={index} link={linked[i]} />
              </article>
            )
          })}
        </div>
      </div>
    </div>
  )
}

interface ItemProps extends Props {
  index: number
  link: Related | undefined
}

function Item(props: ItemProps) {
  const { data, rows, index, link, known, totals, named, open, onToggle, onToggleGroup, subAgents, hidden } = props
  const entry = rows.entryAt(index)
  if (entry?.kind === 'steps')
    return <StepsRow entry={entry} subAgents={countBetween(subAgents, entry)} onToggle={onToggleGroup} />
  if (entry?.kind === 'noise') return <NoiseRow entry={entry} onToggle={onToggleGroup} />
  const event = rows.eventAt(index)
  if (entry === undefined || event === undefined || link === undefined) return <Unloaded entry={entry} />
  const { sequence, type } = event
  const openCalls = link.outcomes.length === 0 ? '' : openAmong(open, sequence, callsIn(event).length)
  const before = isGroupAt(rows, index - 1) ? known.peek(sequence - 1) : rows.eventAt(index - 1)
  return (
    <EventRow
      event={event}
      link={link}
      day={dayAbove(event, index === 0 ? null : before, now.value)}
      totals={type === 'user_message' ? totals.of(sequence, data.log.outline, known.head) : undefined}
      subAgents={subAgents.get(sequence)}
      isNamed={sequence === named}
      isOpen={open.has(`${sequence}`)}
      openCalls={openCalls}
      onToggle={onToggle}
      hidden={hiddenAt(hidden, sequence)}
      onEdit={props.onEdit}
    />
  )
}

/** As high as estimated, so that no more rows come into view than will. */
function Unloaded({ entry }: { entry: Entry | undefined }) {
  if (entry === undefined) return null
  const { kind, from, to } = entry
  return (
    <p class={css.unloaded} style={{ height: `${(kind === 'gap' ? GAP : ROW) - 1}px` }}>
      #{from.toLocaleString('en')}
      {to > from && ` to #${to.toLocaleString('en')}`}
    </p>
  )
}

function isGroupAt(rows: Rows, index: number): boolean {
  const entry = rows.entryAt(index)
  return entry !== undefined && isGroup(entry)
}

function openAmong(open: ReadonlySet<string>, sequence: number, calls: number): string {
  const places = Array.from({ length: Math.min(calls, 50) }, (_, place) => place)
  return places.filter((place) => open.has(`${sequence}/${place}`)).join(',')
}

function labelOf(rows: Rows, index: number, hidden: readonly HiddenPart[]): string {
  const entry = rows.entryAt(index)
  if (entry !== undefined && entry.to > entry.from) return `Events ${entry.from} to ${entry.to}: ${NAMES[entry.kind]}`
  const type = rows.eventAt(index)?.type.replaceAll('_', ' ').slice(0, 60) ?? 'not loaded'
  const left = hiddenAt(hidden, entry?.from ?? 0) === undefined ? '' : ', on a branch'
  return `Event ${entry?.from ?? 0}: ${type}${left}`
}

const NAMES = { event: 'event', gap: 'not loaded', steps: 'calls of the turn', noise: 'custom events' } as const
