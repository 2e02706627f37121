import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { SessionData } from '../../session/session-data.ts'
import { callsIn, type Known } from './calls.ts'
import css from './event-list.module.css'
import { EventRow } from './event-row.tsx'
import { type Link, type Links, missingFor } from './links.ts'
import type { Rows } from './rows.ts'
import type { Turns } from './turns.ts'
import { useLoading } from './use-loading.ts'
import { useVirtual, type VirtualList } from './use-virtual.ts'

/** Pixels of a row that was not measured yet, and of one that was not loaded. */
const ROW = 36
/** Pixels from the end within which the reader counts as being there. */
const NEAR = 48
/** Milliseconds after a click in which the end does not hold the reader: what was opened grows downwards. */
const CALM = 400
/** Pixels above an event that a link leads to. */
const ABOVE = 72

interface Props {
  data: SessionData
  rows: Rows
  known: Known
  links: Links
  turns: Turns
  /** Whether the rows are the log itself, which is loaded as it comes into view. */
  isLog: boolean
  /** The event to go to; without one the list begins at its end. */
  target: number | undefined
  /** Goes to the end each time it is another. */
  round: number
  open: ReadonlySet<string>
  onToggle: (sequence: number, call?: number) => void
  /** Whether the reader has come to the end, or left it. */
  onEnd: (isAtEnd: boolean) => void
  /** The reader has come to the beginning of the list. */
  onStart: () => void
  /** Goes to the first or the last event of the log, where the list may not reach. */
  onEdge: (edge: 'first' | 'last') => void
}

/** Events one below the other, of which only those in view are drawn. */
export function EventList(props: Props) {
  const { rows, known, links, turns, target, open, onToggle } = props
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
  const focus = useFocus(virtual, rows, box, props)
  useTarget(virtual, props, focus.move)

  const calm = () => {
    calmUntil.current = performance.now() + CALM
    virtual.options.scrollEndThreshold = -1
  }

  const items = virtual.getVirtualItems()
  const linked = items.map(({ index }) => {
    const event = rows.eventAt(index)
    return event === undefined ? undefined : links.of(event, known, turns)
  })
  useLoading({ ...props, virtual, missing: linked.flatMap((link) => (link && missingFor(link)) ?? []) })
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
                aria-current={sequence === target ? 'true' : undefined}
                tabIndex={sequence === focus.active ? 0 : -1}
              >
                <Item rows={rows} index={index} link={linked[i]} open={open} onToggle={onToggle} />
              </article>
            )
          })}
        </div>
      </div>
    </div>
  )
}

function Item({
  rows,
  index,
  link,
  open,
  onToggle,
}: Pick<Props, 'rows' | 'open' | 'onToggle'> & { index: number; link: Link | undefined }) {
  const event = rows.eventAt(index)
  if (event === undefined || link === undefined)
    return <p class={css.unloaded}>#{rows.sequenceAt(index).toLocaleString('en')}</p>
  const { sequence } = event
  const openCalls = link.outcomes.length === 0 ? '' : openAmong(open, sequence, callsIn(event).length)
  return (
    <EventRow event={event} link={link} isOpen={open.has(`${sequence}`)} openCalls={openCalls} onToggle={onToggle} />
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

/** Goes to the event that was asked for: at once to its place, and again when what surrounds it was loaded. Without one to the end. */
function useTarget(
  virtual: VirtualList,
  { rows, target, round }: Pick<Props, 'rows' | 'target' | 'round'>,
  move: (index: number) => void,
): void {
  const pending = useRef<number | undefined>(undefined)
  useLayoutEffect(() => {
    pending.current = target
    if (target === undefined) virtual.scrollToEnd()
    else virtual.scrollToIndex(rows.indexOf(target), { align: 'start' })
  }, [target])
  useLayoutEffect(() => {
    if (round === 0) return
    virtual.scrollToEnd()
    move(rows.count - 1)
  }, [round])
  useLayoutEffect(() => {
    if (pending.current === undefined) return
    const index = rows.indexOf(pending.current)
    if (index < 0 || rows.eventAt(index) === undefined) return
    pending.current = undefined
    virtual.scrollToIndex(index, { align: 'start' })
    move(index)
  })
}

/** Tells when the reader comes to either end of the list. */
function useEdges(virtual: VirtualList, { onEnd, onStart }: Pick<Props, 'onEnd' | 'onStart'>): void {
  const isAtEnd = useRef<boolean | undefined>(undefined)
  useEffect(() => {
    const now = virtual.isAtEnd(NEAR)
    if (now !== isAtEnd.current) onEnd(now)
    isAtEnd.current = now
    if ((virtual.range?.startIndex ?? 0) < 10) onStart()
  })
}

/** One row of the list can be reached by the tab key; from there letters and arrows lead to the others. */
function useFocus(
  virtual: VirtualList,
  rows: Rows,
  box: { current: HTMLDivElement | null },
  { onToggle, onEdge }: Pick<Props, 'onToggle' | 'onEdge'>,
) {
  const [wanted, setWanted] = useState<number | undefined>(undefined)
  const pending = useRef<number | undefined>(undefined)
  const hadFocus = useRef(false)
  const drawn = virtual.getVirtualItems().map(({ key }) => Number(key))
  const first = rows.sequenceAt(Math.max(0, virtual.range?.startIndex ?? 0))
  const active = wanted !== undefined && drawn.includes(wanted) ? wanted : first

  const move = (index: number) => {
    const sequence = rows.sequenceAt(index)
    pending.current = sequence
    setWanted(sequence)
  }
  const go = (index: number) => {
    const to = Math.max(0, Math.min(index, rows.count - 1))
    const { size = 0 } = virtual.measurementsCache[to] ?? {}
    virtual.scrollToIndex(to, { align: size > (virtual.scrollRect?.height ?? 0) - ABOVE ? 'start' : 'auto' })
    move(to)
  }

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    for (const inner of element.querySelectorAll<HTMLElement>('article :is(a, button)'))
      inner.tabIndex = inner.closest('article')?.dataset['sequence'] === String(active) ? 0 : -1
    // the row that had it went out of view: the keys still work
    if (hadFocus.current && document.activeElement === document.body) element.focus({ preventScroll: true })
    hadFocus.current = element.contains(document.activeElement)
    if (pending.current === undefined) return
    const row = element.querySelector<HTMLElement>(`article[data-sequence="${pending.current}"]`)
    if (row === null) return
    pending.current = undefined
    row.focus({ preventScroll: true })
  })

  const onKey = (event: KeyboardEvent) => {
    const at = event.target as HTMLElement
    if (event.ctrlKey || event.metaKey || event.altKey || at.closest('[data-scroll]') !== null) return
    const index = rows.indexOf(active)
    const done = act(event.key, at, index)
    if (done) event.preventDefault()
  }
  const act = (key: string, at: HTMLElement, index: number): boolean => {
    if (key === 'j' || key === 'ArrowDown') go(index + 1)
    else if (key === 'k' || key === 'ArrowUp') go(index - 1)
    else if (key === 'Home') onEdge('first')
    else if (key === 'End') onEdge('last')
    else if (key === 'Enter' && at.matches('article, [role="feed"]')) onToggle(active)
    else return false
    if (key === 'Home') go(0)
    if (key === 'End') go(rows.count - 1)
    return true
  }
  const onFocus = ({ target }: FocusEvent) => {
    hadFocus.current = true
    const sequence = (target as HTMLElement).closest<HTMLElement>('article')?.dataset['sequence']
    if (sequence !== undefined) setWanted(Number(sequence))
  }
  return { active, move, onKey, onFocus }
}
