import { useEffect, useRef } from 'preact/hooks'
import { get, sessionPath } from '../../api/client.ts'
import type { Snapshot } from '../../api/types.ts'
import { LIMITS } from '../../domain.ts'
import type { VirtualList } from '../../parts/use-virtual.ts'
import type { SessionData } from '../../session/session-data.ts'
import type { Rows } from './rows.ts'
import type { LogView } from './tool-calls.ts'
import type { TurnNumbers } from './turn-numbers.ts'

/** Milliseconds between two checks of what is visible. */
const OFTEN = 80
/** Milliseconds that a turn is visible before its number is requested. */
const REST = 250
/** Rows around the visible ones that are loaded too. */
const AROUND = 40
/** Events before and after the visible ones that are loaded in the background, to group them and count their turns. */
const FILLED = 2500
/** Events by which the filled part grows. */
const STEP = LIMITS.page

interface Options {
  data: SessionData
  rows: Rows
  known: LogView
  turns: TurnNumbers
  isLog: boolean
  virtual: VirtualList
  /** Events that are needed besides the visible ones. */
  missing: readonly number[]
}

/** Loads visible events, but not all that scroll by, and unknown turn numbers. */
export function useLoadVisible(options: Options): void {
  const now = useRef(options)
  now.current = options
  const timer = useRef<number | undefined>(undefined)
  useEffect(() => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined
      load(now.current)
    }, OFTEN)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  useTurnNumber(options)
}

function load({ data, rows, known: { head }, isLog, virtual: { range }, missing }: Options): void {
  // after a failure, the reader has to retry
  if (data.log.problem.peek() !== undefined) return
  for (const sequence of missing) data.log.prefetch(sequence, sequence, head)
  if (!isLog || range === null) return
  const { startIndex, endIndex } = range
  let hasGap = false
  for (let index = startIndex - AROUND; index <= endIndex + AROUND; index++) {
    const entry = rows.entryAt(index)
    const isVisible = index >= startIndex && index <= endIndex
    if (entry?.kind === 'gap' && isVisible) hasGap = true
    // gaps further away are filled below
    if (entry?.kind === 'event' || (entry?.kind === 'gap' && isVisible)) data.log.prefetch(entry.from, entry.to, head)
  }
  const near = rows.entryAt((startIndex + endIndex) >> 1)?.from
  if (hasGap || near === undefined) return
  // whole steps: otherwise each row that scrolls by would be a request
  const from = Math.floor((near - FILLED) / STEP) * STEP + 1
  const to = Math.ceil((near + FILLED) / STEP) * STEP
  data.log.fill({ near: Math.min(near, head), from: Math.max(1, from), to: Math.min(head, to) })
}

function useTurnNumber({ data, rows, known, turns, virtual: { range } }: Options): void {
  const sequence = unknownTurn(rows, known, turns, range)
  useEffect(() => {
    if (sequence === undefined) return
    const control = new AbortController()
    const ask = async () => {
      const { record } = await get<Snapshot>(sessionPath(data.id, `/at/${sequence}`), {}, control.signal)
      turns.note(sequence, record.turns)
      data.log.version.value++
    }
    // a turn can be shown without its number
    const timer = setTimeout(() => void ask().catch(() => undefined), REST)
    return () => {
      clearTimeout(timer)
      control.abort()
    }
  }, [sequence, data, turns])
}

/** The first visible user message without a turn number. */
function unknownTurn(
  rows: Rows,
  { peek }: LogView,
  turns: TurnNumbers,
  range: VirtualList['range'],
): number | undefined {
  if (range === null) return undefined
  for (let index = range.startIndex; index <= range.endIndex; index++) {
    const event = rows.eventAt(index)
    if (event?.type === 'user_message' && turns.at(event.sequence, peek) === undefined) return event.sequence
  }
  return undefined
}
