import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { VirtualList } from '../../parts/use-virtual.ts'
import type { Rows } from './rows.ts'
import type { RowFocus } from './use-row-focus.ts'

/** Pixels of a row that was not measured yet, and of one that was not loaded. */
export const ROW = 36
/** Pixels from the end within which the reader counts as being there. */
export const NEAR = 48

/**
 * Goes to the event that was asked for: at once to its place, and again when what surrounds it was loaded. Without one to the end. Each round
 * asks anew.
 */
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

/** Tells when the reader comes to either end of the list. */
export function useEdges(
  virtual: VirtualList,
  { onEnd, onStart }: { onEnd: (isAtEnd: boolean) => void; onStart: () => void },
): void {
  const isAtEnd = useRef<boolean | undefined>(undefined)
  useEffect(() => {
    const now = virtual.isAtEnd(NEAR)
    if (now !== isAtEnd.current) onEnd(now)
    isAtEnd.current = now
    if ((virtual.scrollElement?.scrollTop ?? Number.NaN) < 10 * ROW) onStart()
  })
}
