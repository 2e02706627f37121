import { useCallback, useEffect, useState } from 'preact/hooks'
import { eventHref, navigate, setQuery } from '../../route.ts'

/** Goes to an event or to the end. */
export interface Navigation {
  /** Changes whenever the reader asks for the current place again. */
  readonly round: number
  readonly to: (sequence: number) => void
  /** The same without a step in the browser's history, and with every filter off. */
  readonly replaced: (sequence: number) => void
  readonly toEnd: () => void
}

/** Navigates to events of a session, even to the one that the address already names. */
export function useNavigation(id: string): Navigation {
  const [round, setRound] = useState(0)
  const again = () => setRound((before) => before + 1)
  useEffect(() => {
    // a link to the current address fires no hashchange
    const onClick = ({ target }: Event) => {
      const link = target instanceof Element ? target.closest('a') : null
      if (link !== null && link.hash === location.hash) again()
    }
    document.addEventListener('click', onClick)
    return () => document.removeEventListener('click', onClick)
  }, [])
  return {
    round,
    to: (sequence) => {
      const href = eventHref(id, sequence)
      if (href === location.hash) again()
      else navigate(href)
    },
    replaced: useCallback((sequence) => {
      setQuery({ event: sequence, show: undefined })
      again()
    }, []),
    toEnd: () => {
      setQuery({ event: undefined })
      again()
    },
  }
}
