import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { VirtualList } from '../../parts/use-virtual.ts'
import type { Rows } from './rows.ts'
import type { RowFocus } from './use-row-focus.ts'

/** Estimated height of a row that is not measured or not loaded, in pixels. */
export const ROW = 36
/** Estimated height of a row for events that are not loaded, in pixels. */
export const GAP = 240
/** Distance from the end that still counts as the end, in pixels. */
export const NEAR = 48

/** Scrolls to the target at once, and again when the events around it are loaded; without a target, to the end. */
export function useScrollTarget(
  virtual: VirtualList,
  { rows, target, round }: { rows: Rows; target: number | undefined; round: number },
  { move, forget }: Pick<RowFocus, 'move' | 'forget'>,
): void {
  const pending = useRef<number | undefined>(undefined)
  const before = useRef(round)
  useLayoutEffect(() => {
    pending.current = target
    forget()
    if (target !== undefined) virtual.scrollToIndex(rows.indexOf(target), { align: 'start' })
    else {
      virtual.scrollToEnd()
      if (round !== before.current) move(rows.count - 1, 'end')
    }
    before.current = round
  }, [target, round])
  useLayoutEffect(() => {
    if (pending.current === undefined) return
    const index = rows.indexOf(pending.current)
    if (index < 0 || rows.keyAt(index) !== pending.current || rows.eventAt(index) === undefined) return
    pending.current = undefined
    virtual.scrollToIndex(index, { align: 'start' })
    move(index, 'start')
  })
}

/**
 * Keeps the place of the reader when rows join into groups: the row that the reader went to last, the end of the list
 * if the reader was there, else the row that holds the event at the top.
 */
export function useKeepPlace(
  virtual: VirtualList,
  { rows, target }: { rows: Rows; target: number | undefined },
  { isStill, isUntouched, place }: RowFocus,
): void {
  const before = useRef<{ readonly top: number; readonly isAtEnd: boolean } | undefined>(undefined)
  useLayoutEffect(() => {
    if (before.current === undefined) return
    const { top, isAtEnd } = before.current
    const index = rows.indexOf(top)
    const goal = isStill() ? place() : isUntouched() ? target : undefined
    if (goal !== undefined) virtual.scrollToIndex(rows.indexOf(goal), { align: 'start' })
    // below zero after a click: then the row that was opened stays where it is
    else if (isAtEnd && (virtual.options.scrollEndThreshold ?? 0) >= 0) virtual.scrollToEnd()
    else if (index >= 0 && rows.keyAt(index) !== top) virtual.scrollToIndex(index, { align: 'start' })
  }, [rows])
  useLayoutEffect(() => {
    const top = rows.keyAt(virtual.range?.startIndex ?? 0)
    before.current = { top, isAtEnd: isUntouched() || virtual.isAtEnd(NEAR) }
  })
}

/** Calls back when the reader reaches either end of the list. */
export function useEdges(
  virtual: VirtualList,
  { onEnd, onStart }: { onEnd: (isAtEnd: boolean) => void; onStart?: () => void },
): void {
  const isAtEnd = useRef<boolean | undefined>(undefined)
  useEffect(() => {
    const now = virtual.isAtEnd(NEAR)
    if (now !== isAtEnd.current) onEnd(now)
    isAtEnd.current = now
    if ((virtual.scrollElement?.scrollTop ?? Number.NaN) < 10 * ROW) onStart?.()
  })
}
