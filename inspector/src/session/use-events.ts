import { useCallback, useEffect, useState } from 'preact/hooks'
import { get, sessionPath } from '../api/client.ts'
import { type Problem, toProblem } from '../api/problem.ts'
import type { SessionEvent } from '../api/types.ts'
import type { SessionData } from './session-data.ts'

/** Largest page that the server gives. */
const PAGE = 500

/** Events of some types, oldest first. */
interface Found {
  readonly events: readonly SessionEvent[]
  /** Whether there are older ones that were left out. */
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly problem: Problem | undefined
}

/** The same, as a view has it. */
export interface EventList extends Found {
  /** Asks again. */
  readonly reload: () => void
}

const NONE: Found = { events: [], hasMore: false, isLoading: true, problem: undefined }

/** The last `most` events of these types, and each new one as it arrives. `types` has to be the same array each time. */
export function useEvents(data: SessionData, types: readonly string[], most = 2000): EventList {
  const [found, setFound] = useState(NONE)
  const [round, setRound] = useState(0)
  useEffect(() => {
    const control = new AbortController()
    // until what there was has been read
    let arrived: SessionEvent[] | undefined = []
    const stop = data.onEvents((events) => {
      const wanted = events.filter(({ type }) => types.includes(type))
      if (wanted.length === 0) return
      if (arrived === undefined) setFound((before) => withArrived(before, wanted, most))
      else arrived.push(...wanted)
    })
    setFound(NONE)
    readBack(data.id, types, most, control.signal).then(
      (read) => {
        setFound(withArrived({ ...read, isLoading: false, problem: undefined }, arrived ?? [], most))
        arrived = undefined
      },
      (error: unknown) => {
        arrived = undefined
        if (!control.signal.aborted) setFound({ ...NONE, isLoading: false, problem: toProblem(error) })
      },
    )
    return () => {
      stop()
      control.abort()
    }
  }, [data, types, most, round])
  return { ...found, reload: useCallback(() => setRound((n) => n + 1), []) }
}

async function readBack(id: string, types: readonly string[], most: number, signal: AbortSignal) {
  const events: SessionEvent[] = []
  for (let before: number | undefined; events.length < most; before = events.at(-1)?.sequence) {
    const query = { types, order: 'desc', limit: PAGE, before }
    const { items } = await get<{ items: SessionEvent[] }>(sessionPath(id, '/events'), query, signal)
    events.push(...items)
    if (items.length < PAGE) return { events: events.toReversed(), hasMore: false }
  }
  return { events: events.toReversed(), hasMore: true }
}

/** The stream may begin before what was read: an event is there once. The oldest go when there are too many. */
export function withArrived(found: Found, arrived: readonly SessionEvent[], most: number): Found {
  const last = found.events.at(-1)?.sequence ?? 0
  const events = [...found.events, ...arrived.filter(({ sequence }) => sequence > last)]
  return { ...found, events: events.slice(-most), hasMore: found.hasMore || events.length > most }
}
