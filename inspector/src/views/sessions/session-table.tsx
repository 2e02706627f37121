import { defaultRangeExtractor } from '@tanstack/virtual-core'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useVirtual } from '../../parts/use-virtual.ts'
import { SessionRow } from './session-row.tsx'
import css from './session-table.module.css'
import type { TreeRow } from './session-tree.ts'
import { useRowHeight } from './use-row-height.ts'

interface Props {
  readonly rows: readonly TreeRow[]
  /** Shows or hides the sub-agents of a session. */
  readonly onToggle: (id: string) => void
  /** Initial scroll position, in pixels. */
  readonly top: number
  /** Whether there are more than these. */
  readonly hasMore: boolean
  /** Called with the element that scrolls. */
  readonly onScroller: (element: HTMLElement | null) => void
  /** Called near the end of the list with the number of rows it should have. */
  readonly onNeed: (rows: number) => void
}

const HEADINGS = ['status', 'task', 'agent', 'user', 'chatmode', 'turns', 'events', 'usage', 'activity'] as const
const HEADING_TEXTS = { activity: 'last activity' } as Partial<Record<string, string>>
/** Rows that should be loaded beyond the last visible one. */
const AHEAD = 60

/** Rows that are drawn beyond the visible ones. */
const OVERSCAN = 8

/** A table of sessions that draws only the visible rows. */
export function SessionTable({ rows, onToggle, top, hasMore, onScroller, onNeed }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const { row, head } = useRowHeight()
  const [focused, setFocused] = useState<string>()
  const hasUsage = useMemo(() => rows.some(({ record }) => record.usage !== undefined), [rows])
  const kept = focused === undefined ? -1 : rows.findIndex(({ record }) => record.id === focused)
  const virtual = useVirtual({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => row,
    initialOffset: top,
    paddingStart: head,
    scrollPaddingStart: head,
    overscan: OVERSCAN,
    // the focused row is drawn wherever it is: removed, it would lose the focus
    rangeExtractor: (range) => withRow(defaultRangeExtractor(range), kept),
  })
  useLayoutEffect(() => virtual.measure(), [virtual, row])
  const wanted = useRef<number | undefined>(undefined)
  const items = virtual.getVirtualItems()
  const last = virtual.range?.endIndex ?? 0

  useEffect(() => onNeed(last + AHEAD), [last, rows.length, onNeed])
  useEffect(() => {
    onScroller(scroller.current)
    return () => onScroller(null)
  }, [onScroller])
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    const link = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] a`)
    if (link === null || link === undefined) return
    wanted.current = undefined
    link.focus({ preventScroll: true })
  })

  const onKeyDown = (event: KeyboardEvent) => {
    const at = indexOf(event.target)
    const to = at === undefined ? undefined : targetOf(event.key, at, rows.length, virtual.scrollRect?.height ?? 0, row)
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    wanted.current = to
    setFocused(rows[to]?.record.id)
    virtual.scrollToIndex(to)
  }
  return (
    <div ref={scroller} class={css.scroller} data-usage={hasUsage ? '' : undefined}>
      <table
        class={css.table}
        aria-label="Sessions"
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        onKeyDown={onKeyDown}
        onFocusIn={({ target }) => setFocused(rows[indexOf(target) ?? -1]?.record.id)}
        onFocusOut={() => wanted.current === undefined && setFocused(undefined)}
      >
        <thead class={css.head}>
          <tr class={css.headings} aria-rowindex={1}>
            {HEADINGS.map((name) => (
              <th key={name} scope="col" class={css[name]}>
                {HEADING_TEXTS[name] ?? name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody class={css.body} style={{ height: `${virtual.getTotalSize() - head}px` }}>
          {items.map(({ index, start }) => {
            const row = rows[index]
            return (
              row && <SessionRow key={row.record.id} {...row} index={index} top={start - head} onToggle={onToggle} />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function withRow(shown: number[], row: number): number[] {
  return row < 0 || shown.includes(row) ? shown : [...shown, row].sort((a, b) => a - b)
}

function indexOf(target: EventTarget | null): number | undefined {
  const index = (target as HTMLElement | null)?.closest<HTMLElement>('[data-index]')?.dataset['index']
  return index === undefined ? undefined : Number(index)
}

/** The row that a key moves to. */
function targetOf(key: string, at: number, count: number, seen: number, height: number): number | undefined {
  const page = Math.max(1, Math.floor(seen / height) - 1)
  const steps: Partial<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  }
  const to = steps[key]
  return to === undefined ? undefined : Math.min(Math.max(to, 0), count - 1)
}
