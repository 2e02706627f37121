import { useCallback, useEffect, useRef } from 'preact/hooks'
import { getEvents } from '../../api/client.ts'
import { TURN_TYPES } from '../../domain.ts'
import type { SessionData } from '../../session/session-data.ts'
import type { Navigation } from './use-navigation.ts'

/** Goes to the first event of the next or previous turn, seen from an event. Stays where there is none. */
export function useTurnSteps(data: SessionData, way: Navigation): (direction: 1 | -1, from: number) => void {
  const control = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => control.current?.abort(), [])
  return useCallback(
    (direction, from) => {
      control.current?.abort()
      control.current = new AbortController()
      const { signal } = control.current
      findTurn(data, from, direction, signal).then(
        (sequence) => sequence !== undefined && !signal.aborted && way.replaced(sequence),
        // a problem of the connection shows in the head of the session
        () => undefined,
      )
    },
    [data, way.replaced],
  )
}

async function findTurn(data: SessionData, from: number, direction: 1 | -1, signal: AbortSignal) {
  const { outline } = data.log
  let sequence = Math.floor(from) + (direction > 0 || Number.isInteger(from) ? direction : 0)
  for (; sequence >= 1 && sequence <= data.head.peek(); sequence += direction) {
    const facts = outline.at(sequence)
    if (facts?.kind === 'turn') return sequence
    if (facts !== undefined) continue
    const place = direction > 0 ? { after: sequence - 1 } : { before: sequence + 1, order: 'desc' }
    return (await getEvents(data.id, { ...place, types: TURN_TYPES, limit: 1 }, signal))[0]?.sequence
  }
  return undefined
}
