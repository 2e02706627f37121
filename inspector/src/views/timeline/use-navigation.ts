import { useEffect, useState } from 'preact/hooks'
import { eventHref, navigate, setQuery } from '../../route.ts'

/** The way to an event, or to the end. */
export interface Navigation {
  /** Another number each time that somebody asks for the place where the page is already. */
  readonly round: number
  readonly to: (sequence: number) => void
  readonly toEnd: () => void
}

/** Leads to events of that session, also to the one that the address names already. */
export function useNavigation(id: string): Navigation {
  const [round, setRound] = useState(0)
  const again = () => setRound((before) => before + 1)
  useEffect(() => {
    // a link to where the page is changes nothing that could be noticed
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
    toEnd: () => {
      setQuery({ event: undefined })
      again()
    },
  }
}
