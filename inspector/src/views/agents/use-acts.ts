import { useCallback, useEffect, useState } from 'preact/hooks'
import { get, sessionPath } from '../../api/client.ts'
import { type Problem, toProblem } from '../../api/problem.ts'
import type { SessionEvent } from '../../api/types.ts'
import type { SessionData } from '../../session/session-data.ts'
import { type LaneEvent, toLaneEvent } from './lanes.ts'

/** Events in one read. */
const PAGE = 250
/** Characters of text after which no older page is read: single events may have megabytes. */
const TEXT = 20_000_000

/** The last events of a session, as far as they were read. */
export interface Acts {
  readonly acts: readonly LaneEvent[]
  /** Whether these are all. */
  readonly isAll: boolean
  readonly isLoading: boolean
  readonly problem: Problem | undefined
  /** Asks again. */
  readonly again: () => void
}

const NONE: Omit<Acts, 'again'> = { acts: [], isAll: false, isLoading: true, problem: undefined }

/** At most the last `most` events of a session, page by page, and each new one as it arrives. */
export function useActs(data: SessionData, most: number): Acts {
  const [found, setFound] = useState(NONE)
  const [round, setRound] = useState(0)
  useEffect(() => {
    const control = new AbortController()
    const known = new Map<number, LaneEvent>()
    const show = (given: Partial<Acts>) => {
      const acts = [...known.values()].toSorted((a, b) => a.sequence - b.sequence).slice(-most)
      const [first] = acts
      for (const sequence of known.keys()) if (first !== undefined && sequence < first.sequence) known.delete(sequence)
      setFound((before) => ({ ...before, ...given, acts, isAll: first?.sequence === 1 }))
    }
    const take = (events: readonly SessionEvent[]) => {
      for (const event of events) known.set(event.sequence, toLaneEvent(event))
    }
    const stop = data.onEvents((events) => {
      take(events)
      show({})
    })
    setFound(NONE)
    readBack(data.id, most, control.signal, (events) => {
      take(events)
      show({})
    }).then(
      () => !control.signal.aborted && show({ isLoading: false }),
      (error: unknown) => {
        if (!control.signal.aborted) show({ isLoading: false, problem: toProblem(error) })
      },
    )
    return () => {
      stop()
      control.abort()
    }
  }, [data, most, round])
  return { ...found, again: useCallback(() => setRound((n) => n + 1), []) }
}

async function readBack(
  id: string,
  most: number,
  signal: AbortSignal,
  onPage: (events: readonly SessionEvent[]) => void,
): Promise<void> {
  let text = 0
  let before: number | undefined
  for (let read = 0; read < most && text < TEXT; read += PAGE) {
    const query = { order: 'desc', limit: PAGE, before }
    const { items } = await get<{ items: SessionEvent[] }>(sessionPath(id, '/events'), query, signal)
    if (signal.aborted) return
    onPage(items)
    if (items.length < PAGE) return
    for (const { content } of items) text += content.length
    before = items.at(-1)?.sequence
  }
}
