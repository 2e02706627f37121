import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { query, setQuery, type Values } from '../route.ts'

/** Milliseconds without a stroke after which what was typed counts. */
const REST = 300

/** What a box shows, and the way to change it: `isDone` does not wait for the typing to rest. */
export type QueryText = readonly [text: string, set: (text: string, isDone?: boolean) => void]

/**
 * A value of the address for a box: shown as it is typed, in the address when the typing rests. `along` are values that change
 * with it, such as a choice that is gone with another list.
 */
export function useQueryText(name: string, along?: Values): QueryText {
  const given = query.value.get(name) ?? ''
  const [text, setText] = useState(given)
  const timer = useRef<number | undefined>(undefined)
  useEffect(() => {
    // while somebody types, the address is behind them
    if (timer.current === undefined) setText(given)
  }, [given])
  useEffect(() => () => clearTimeout(timer.current), [])
  const set = useCallback(
    (next: string, isDone = false) => {
      const rest = () => {
        timer.current = undefined
        setQuery({ ...along, [name]: next })
      }
      setText(next)
      clearTimeout(timer.current)
      if (isDone) rest()
      else timer.current = window.setTimeout(rest, REST)
    },
    [name],
  )
  return [text, set]
}
