import { useEffect, useRef, useState } from 'preact/hooks'

/** Changes at most once per `ms`; the last value always arrives. */
export function useThrottled<T>(value: T, ms: number): T {
  const [slow, setSlow] = useState(value)
  const changed = useRef(0)
  useEffect(() => {
    const wait = Math.max(0, changed.current + ms - Date.now())
    const timer = setTimeout(() => {
      changed.current = Date.now()
      setSlow(value)
    }, wait)
    return () => clearTimeout(timer)
  }, [value, ms])
  return slow
}
