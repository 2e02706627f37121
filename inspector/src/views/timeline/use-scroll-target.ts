import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { VirtualList } from '../../parts/use-virtual.ts'
import type { Rows } from './rows.ts'
import type { RowFocus } from './use-row-focus.ts'

/** Estimated height of a row that is not measured or not loaded, in pixels. */
export const ROW = 36
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
    if (index < 0 || rows.eventAt(index) === undefined) return
    pending.current = undefined
    virtual.scrollToIndex(index, { align: 'start' })
    move(index, 'start')
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
