import { useCallback, useEffect, useState } from 'preact/hooks'
import { type Problem, toProblem } from '../api/problem.ts'

/** The state of a request. While it is sent again, the last value stays. */
export interface Request<T> {
  readonly value: T | undefined
  readonly problem: Problem | undefined
  readonly isLoading: boolean
  /** Sends the request again. */
  readonly reload: () => void
}

/** Sends a request whenever one of `inputs` changes; `undefined` sends none. */
export function useRequest<T>(
  ask: ((signal: AbortSignal) => Promise<T>) | undefined,
  inputs: readonly unknown[],
): Request<T> {
  const [state, setState] = useState<Omit<Request<T>, 'reload'>>({
    value: undefined,
    problem: undefined,
    isLoading: true,
  })
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (ask === undefined) return setState((before) => ({ ...before, isLoading: false }))
    const control = new AbortController()
    setState((before) => ({ ...before, isLoading: true }))
    ask(control.signal).then(
      (value) => !control.signal.aborted && setState({ value, problem: undefined, isLoading: false }),
      (error: unknown) => {
        if (!control.signal.aborted) setState((before) => ({ ...before, problem: toProblem(error), isLoading: false }))
      },
    )
    return () => control.abort()
  }, [...inputs, round])
  return { ...state, reload: useCallback(() => setRound((n) => n + 1), []) }
}
