import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { query, setQuery, type Values } from '../route.ts'

/** Milliseconds without a keystroke after which the text counts. */
const REST = 300

/** The text and its setter; `isDone` does not wait for a pause in typing. */
export type QueryText = readonly [text: string, set: (text: string, isDone?: boolean) => void]

/**
 * A query value of the address for a text box: shown as it is typed, written to the address after a pause. `along` are
 * values that change with it, such as a selection that ends with another list.
 */
export function useQueryText(name: string, along?: Values): QueryText {
  const given = query.value.get(name) ?? ''
  const [text, setText] = useState(given)
  const timer = useRef<number | undefined>(undefined)
  useEffect(() => {
    // while somebody types, the address is out of date
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
