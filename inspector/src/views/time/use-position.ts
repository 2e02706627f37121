import { useEffect, useRef, useState } from 'preact/hooks'
import { query, setQuery } from '../../route.ts'
import { DEBOUNCE_MS } from './snapshot-loader.ts'

/** Where the slider stands. */
export interface SliderPosition {
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
export function usePosition(head: number): SliderPosition {
  const asked = query.value.get('at')
  const [at, setAt] = useState(parseSequence(asked))
  const written = useRef(asked)
  useEffect(() => {
    // a link, or "back": what was written here comes back too, and must not undo what was done since
    if (asked !== written.current) setAt(parseSequence(asked))
    written.current = asked
  }, [asked])
  useEffect(() => {
    // browsers refuse addresses that change too often
    const timer = setTimeout(() => {
      if (parseSequence(query.peek().get('at')) === at) return
      written.current = at === undefined ? null : String(at)
      setQuery({ at })
    }, DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [at])
  const pinned = parseSequence(query.value.get('with'))
  return {
    sequence: Math.min(at ?? head, head),
    isFollowing: at === undefined,
    go: (sequence) => setAt(sequence >= head ? undefined : Math.max(1, sequence)),
    pinned: pinned === undefined ? undefined : Math.min(pinned, head),
    pin: (sequence) => setQuery({ with: sequence }),
  }
}

function parseSequence(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}
