import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { VirtualList } from '../../parts/use-virtual.ts'
import { isGroup } from './grouped-rows.ts'
import type { Rows } from './rows.ts'

/** Pixels above an event that is scrolled to. */
export const ABOVE = 72

/** Milliseconds after a key in which the row is scrolled back into view: rows around it may still change height. */
const SETTLE = 2000

/** What keys in the list do besides moving. */
export interface ListKeys {
  /** Goes to the next or previous turn, seen from an event. */
  readonly onTurn: (direction: 1 | -1, sequence: number) => void
  /** Goes to the next or previous match of the search. */
  readonly onMatch: (direction: 1 | -1) => void
  /** Switches between groups and single events, at an event. */
  readonly onGrouping?: (sequence: number) => void
  /** Goes to the first or last event of the log, which may be outside the list. */
  readonly onEdge?: (edge: 'first' | 'last') => void
}

interface Options extends ListKeys {
  readonly rows: Rows
  /** Opens or closes a row. */
  readonly onToggleRow: (index: number) => void
}

/** Where a row is scrolled to; `auto`: only as far as necessary. */
type Align = 'start' | 'end' | 'auto'

/** Keyboard focus in the list. */
export interface RowFocus {
  /** Key of the row that the Tab key focuses. */
  readonly active: number
  /** Focuses a row that was scrolled to, as soon as it is drawn. */
  readonly move: (index: number, align: Align) => void
  /** Cancels a pending move. */
  readonly forget: () => void
  readonly onKey: (event: KeyboardEvent) => void
  readonly onFocus: (event: FocusEvent) => void
  readonly onScroll: () => void
  /** Key of the row where the reader is. */
  readonly place: () => number
  /** Whether the reader is still where {@link RowFocus.move} led. */
  readonly isStill: () => boolean
  /** Whether the reader has neither scrolled nor gone anywhere. */
  readonly isUntouched: () => boolean
}

/** Roving focus: Tab reaches one row, letters and arrows move to the others. */
export function useRowFocus(
  virtual: VirtualList,
  box: { current: HTMLDivElement | null },
  { rows, onToggleRow, onEdge, onTurn, onMatch, onGrouping }: Options,
): RowFocus {
  const [wanted, setWanted] = useState<number | undefined>(undefined)
  const pending = useRef<number | undefined>(undefined)
  const hadFocus = useRef(false)
  const drawn = virtual.getVirtualItems().map(({ key }) => Number(key))
  const first = rows.keyAt(Math.max(0, virtual.range?.startIndex ?? 0))
  const active = wanted !== undefined && drawn.includes(wanted) ? wanted : first
  /** Whether the reader has scrolled since: then keys continue from the visible rows. */
  const hasScrolled = useRef(false)
  const settledAt = useRef(0)
  const aligned = useRef<Align>('auto')
  /** The row that was moved to at its start. */
  const moved = useRef<number | undefined>(undefined)

  const stay = () => {
    settledAt.current = 0
    pending.current = undefined
  }
  const onScroll = () => {
    hasScrolled.current = true
    stay()
  }
  const forget = () => {
    stay()
    hasScrolled.current = false
    setWanted(undefined)
  }
  const move = (index: number, align: Align) => {
    const sequence = rows.keyAt(index)
    pending.current = sequence
    aligned.current = align
    moved.current = align === 'start' ? sequence : undefined
    hasScrolled.current = false
    settledAt.current = performance.now() + SETTLE
    setWanted(sequence)
  }
  const go = (index: number) => {
    const to = Math.max(0, Math.min(index, rows.count - 1))
    const { size = 0 } = virtual.measurementsCache[to] ?? {}
    const align = size > (virtual.scrollRect?.height ?? 0) - ABOVE ? 'start' : 'auto'
    virtual.scrollToIndex(to, { align })
    move(to, align)
  }

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    for (const inner of element.querySelectorAll<HTMLElement>('article :is(a, button)'))
      inner.tabIndex = inner.closest('article')?.dataset['sequence'] === String(active) ? 0 : -1
    // the focused row scrolled away: the list takes the focus, so keys still work
    if (hadFocus.current && document.activeElement === document.body) element.focus({ preventScroll: true })
    hadFocus.current = element.contains(document.activeElement)
    // … and returns it when the row is drawn again
    const goal = pending.current ?? (document.activeElement === element ? wanted : undefined)
    if (goal === undefined) return
    const row = element.querySelector<HTMLElement>(`article[data-sequence="${goal}"]`)
    if (row === null) {
      // rows above shrank while scrolling, so the browser stopped short
      const isSettling = performance.now() < settledAt.current
      if (isSettling && rows.indexOf(goal) >= 0) virtual.scrollToIndex(rows.indexOf(goal), { align: aligned.current })
      return
    }
    // a reader who goes from match to match stays in the search
    if (document.activeElement?.closest('[data-keeps-focus]') == null) row.focus({ preventScroll: true })
    if (pending.current === undefined) return
    pending.current = undefined
    element.scrollIntoView({ block: 'nearest' })
  })

  const toggle = (index: number) => {
    onToggleRow(index)
    settledAt.current = performance.now() + SETTLE
    // closing a long row keeps its first line in view
    const isAbove = (virtual.measurementsCache[index]?.start ?? 0) < (virtual.scrollOffset ?? 0)
    if (isAbove) virtual.scrollToIndex(index, { align: 'start' })
  }
  const openRow = (index: number): boolean => {
    const entry = rows.entryAt(index)
    const isClosed = entry !== undefined && isGroup(entry) && !entry.isOpen
    if (isClosed) toggle(index)
    return isClosed
  }
  /** Closes an open group, or goes to the row of the group that the row is in. */
  const closeRow = (index: number): boolean => {
    const entry = rows.entryAt(index)
    if (entry === undefined) return false
    if (isGroup(entry) && entry.isOpen) toggle(index)
    else if (entry.depth > 0) {
      let group = index - 1
      while ((rows.entryAt(group)?.depth ?? 0) >= entry.depth) group--
      go(group)
    } else return false
    return true
  }
  const isInView = (key = 0) => {
    const { startIndex = 0, endIndex = -1 } = virtual.range ?? {}
    const index = rows.indexOf(key)
    return index >= startIndex && index <= endIndex
  }
  const place = () => {
    if (wanted === undefined && !hasScrolled.current && virtual.isAtEnd()) return rows.keyAt(rows.count - 1)
    return hasScrolled.current && !isInView(wanted) ? first : (wanted ?? active)
  }
  const onKey = (event: KeyboardEvent) => {
    const at = event.target as HTMLElement
    // Tab leaves the list on purpose
    if (event.key === 'Tab') hadFocus.current = false
    if (event.ctrlKey || event.metaKey || event.altKey || at.closest('[data-scroll]') !== null) return
    if (event.key === ' ' || event.key.startsWith('Page')) onScroll()
    const index = rows.indexOf(place())
    const done = act(event.key, at, index)
    if (done) event.preventDefault()
  }
  const act = (key: string, at: HTMLElement, index: number): boolean => {
    if (key === 'j' || key === 'ArrowDown') go(index + 1)
    else if (key === 'k' || key === 'ArrowUp') go(index - 1)
    else if (key === 'Home') onEdge?.('first')
    else if (key === 'End') onEdge?.('last')
    else if (key === 'Enter' && at.matches('article, [role="feed"]')) toggle(index)
    else if (key === 'ArrowRight') return openRow(index)
    else if (key === 'ArrowLeft') return closeRow(index)
    else if (key === 't' || key === 'T') onTurn(key === 't' ? 1 : -1, Math.ceil(rows.keyAt(index)))
    else if (key === 'n' || key === 'N') onMatch(key === 'n' ? 1 : -1)
    else if (key === 'g') onGrouping?.(Math.ceil(rows.keyAt(index)))
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
  const isUntouched = () => !hasScrolled.current && wanted === undefined
  const isStill = () => !hasScrolled.current && moved.current !== undefined && moved.current === wanted
  return { active, move, forget, onKey, onFocus, onScroll, place, isStill, isUntouched }
}
