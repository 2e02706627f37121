import { useEffect, useState } from 'preact/hooks'

/** The same values as in the style sheets. */
const NARROW = '(width < 48rem)'
const REM = { row: 3.5, narrowRow: 6.75, head: 2.25 }

/** Height of a row and of the headings in pixels, by window width and font size. */
export function useRowHeight(): { row: number; head: number } {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches)
  useEffect(() => {
    const query = matchMedia(NARROW)
    const look = () => setNarrow(query.matches)
    query.addEventListener('change', look)
    return () => query.removeEventListener('change', look)
  }, [])
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return { row: (isNarrow ? REM.narrowRow : REM.row) * rem, head: isNarrow ? 0 : REM.head * rem }
}
