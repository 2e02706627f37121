import { useEffect, useRef, useState } from 'preact/hooks'
import { get, sessionPath } from '../../api/client.ts'
import type { SessionEvent } from '../../api/types.ts'
import { useRequest } from '../../parts/use-request.ts'
import { preview } from '../../parts/visible.ts'
import type { SessionData } from '../../session/session-data.ts'
import { noteInWork } from './path.ts'

/** The note in the work commit at `sequence`, read once somebody can see it: a path may have hundreds. */
export function LateNote({ data, sequence }: { data: SessionData; sequence: number }) {
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
  const read = (signal: AbortSignal) => noteAt(data, sequence, signal)
  const { value = '', problem } = useRequest(isSeen ? read : undefined, [isSeen, data, sequence])
  return <span ref={place}>{problem === undefined ? value : `could not be read: ${problem.message}`}</span>
}

async function noteAt(data: SessionData, sequence: number, signal: AbortSignal): Promise<string> {
  const known = data.log.peek(sequence)
  if (known !== undefined) return shown(known)
  const query = { after: sequence - 1, limit: 1 }
  const { items } = await get<{ items: SessionEvent[] }>(sessionPath(data.id, '/events'), query, signal)
  return shown(items[0])
}

const shown = (event: SessionEvent | undefined) => preview(noteInWork(event) ?? '', 300)
