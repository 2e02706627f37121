import { useCallback, useEffect, useState } from 'preact/hooks'
import { type Problem, problemOf } from '../api/problem.ts'

/** What a question to the server came to. While it is asked again, the last answer stays. */
export interface Asked<T> {
  readonly value: T | undefined
  readonly problem: Problem | undefined
  readonly isLoading: boolean
  /** Asks again. */
  readonly again: () => void
}

/** Asks the server whenever one of `inputs` changes; `undefined` as the question asks nothing. */
export function useAnswer<T>(
  ask: ((signal: AbortSignal) => Promise<T>) | undefined,
  inputs: readonly unknown[],
): Asked<T> {
  const [state, setState] = useState<Omit<Asked<T>, 'again'>>({ value: undefined, problem: undefined, isLoading: true })
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (ask === undefined) return setState((before) => ({ ...before, isLoading: false }))
    const control = new AbortController()
    setState((before) => ({ ...before, isLoading: true }))
    ask(control.signal).then(
      (value) => !control.signal.aborted && setState({ value, problem: undefined, isLoading: false }),
      (error: unknown) => {
        if (!control.signal.aborted) setState((before) => ({ ...before, problem: problemOf(error), isLoading: false }))
      },
    )
    return () => control.abort()
  }, [...inputs, round])
  return { ...state, again: useCallback(() => setRound((n) => n + 1), []) }
}
