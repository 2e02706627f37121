import { useEffect, useRef, useState } from 'preact/hooks'
import { query, setQuery } from '../../route.ts'
import { REST } from './moments.ts'

/** Where the slider stands. */
export interface SliderPlace {
  readonly sequence: number
  /** Whether it stands at the end, and goes along with it. */
  readonly isFollowing: boolean
  /** Moves it; to the end or beyond: follows the end from then on. */
  readonly go: (sequence: number) => void
  /** The moment that others are compared with. */
  readonly pinned: number | undefined
  readonly pin: (sequence: number | undefined) => void
}

/** The place of the slider, as the address has it (`at`, `with`); without one it is the end of the log. */
export function usePlace(head: number): SliderPlace {
  const asked = query.value.get('at')
  const [at, setAt] = useState(numberIn(asked))
  const written = useRef(asked)
  useEffect(() => {
    // a link, or "back": what was written here comes back too, and must not undo what was done since
    if (asked !== written.current) setAt(numberIn(asked))
    written.current = asked
  }, [asked])
  useEffect(() => {
    // browsers refuse addresses that change too often
    const timer = setTimeout(() => {
      if (numberIn(query.peek().get('at')) === at) return
      written.current = at === undefined ? null : String(at)
      setQuery({ at })
    }, REST)
    return () => clearTimeout(timer)
  }, [at])
  const pinned = numberIn(query.value.get('with'))
  return {
    sequence: Math.min(at ?? head, head),
    isFollowing: at === undefined,
    go: (sequence) => setAt(sequence >= head ? undefined : Math.max(1, sequence)),
    pinned: pinned === undefined ? undefined : Math.min(pinned, head),
    pin: (sequence) => setQuery({ with: sequence }),
  }
}

function numberIn(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}
