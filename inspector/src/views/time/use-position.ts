import { useEffect, useRef, useState } from 'preact/hooks'
import { query, setQuery } from '../../route.ts'
import { DEBOUNCE_MS } from './snapshot-loader.ts'

/** Position of the slider. */
export interface SliderPosition {
  readonly sequence: number
  /** Whether it is at the end and follows new events. */
  readonly isFollowing: boolean
  /** Moves it; at the end or beyond it follows new events. */
  readonly go: (sequence: number) => void
  /** The moment to compare with. */
  readonly pinned: number | undefined
  readonly pin: (sequence: number | undefined) => void
}

/** Keeps the slider position in the address (`at`, `with`); the default is the end of the log. */
export function usePosition(head: number): SliderPosition {
  const inAddress = query.value.get('at')
  const [at, setAt] = useState(parseSequence(inAddress))
  const written = useRef(inAddress)
  useEffect(() => {
    // reacts to links and "back" only: its own writes come back too and must not undo later moves
    if (inAddress !== written.current) setAt(parseSequence(inAddress))
    written.current = inAddress
  }, [inAddress])
  useEffect(() => {
    // browsers reject frequent address changes
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
