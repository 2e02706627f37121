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
  const [sent, setSent] = useState<readonly unknown[]>([])
  const wanted = [...inputs, round]
  // the request is sent after the render in which its inputs change
  const isSent = sent.length > 0 && wanted.every((input, i) => Object.is(input, sent[i]))
  useEffect(() => {
    setSent(wanted)
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
  }, wanted)
  const isLoading = ask !== undefined && (state.isLoading || !isSent)
  return { ...state, isLoading, reload: useCallback(() => setRound((n) => n + 1), []) }
}
