import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Rows } from './rows.ts'
import type { VirtualList } from './use-virtual.ts'

/** Pixels of a row that was not measured yet, and of one that was not loaded. */
export const ROW = 36
/** Pixels from the end within which the reader counts as being there. */
export const NEAR = 48

/** Goes to the event that was asked for: at once to its place, and again when what surrounds it was loaded. Without one to the end. */
export function useTarget(
  virtual: VirtualList,
  { rows, target, round }: { rows: Rows; target: number | undefined; round: number },
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
