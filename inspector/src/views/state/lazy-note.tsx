import { useEffect, useRef, useState } from 'preact/hooks'
import { getEvents } from '../../api/client.ts'
import type { SessionEvent } from '../../api/types.ts'
import { useRequest } from '../../parts/use-request.ts'
import { preview } from '../../parts/visible.ts'
import type { SessionData } from '../../session/session-data.ts'
import { readWorkNote } from './path.ts'

/** The note in the work commit at `sequence`, loaded when it scrolls into view: a path may have hundreds. */
export function LazyNote({ data, sequence }: { data: SessionData; sequence: number }) {
  const place = useRef<HTMLSpanElement>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (place.current === null) return
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      setSeen(true)
      observer.disconnect()
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  const read = (signal: AbortSignal) => readNote(data, sequence, signal)
  const { value = '', problem } = useRequest(isSeen ? read : undefined, [isSeen, data, sequence])
  return <span ref={place}>{problem === undefined ? value : `Could not load: ${problem.message}`}</span>
}

async function readNote(data: SessionData, sequence: number, signal: AbortSignal): Promise<string> {
  const known = data.log.peek(sequence)
  if (known !== undefined) return formatNote(known)
  const [event] = await getEvents(data.id, { after: sequence - 1, limit: 1 }, signal)
  return formatNote(event)
}

const formatNote = (event: SessionEvent | undefined) => preview(readWorkNote(event) ?? '', 300)
