import { get, sessionPath } from '../../api/client.ts'
import type { SessionRecord } from '../../api/types.ts'
import { useRequest } from '../../parts/use-request.ts'
import { oneLine } from '../../parts/visible.ts'
import { eventHref, sessionHref } from '../../route.ts'

/** The session that called this one, with a link to the call. */
export function ParentLink({ parent: { sessionId, sequence } }: { parent: NonNullable<SessionRecord['parent']> }) {
  // it may be gone, or belong to somebody else: then its id has to do
  const { value } = useRequest((signal) => get<SessionRecord>(sessionPath(sessionId), {}, signal), [sessionId])
  const name = value?.task === undefined ? sessionId.slice(0, 8) : oneLine(value.task, 40)
  return (
    <a href={sequence === undefined ? sessionHref(sessionId) : eventHref(sessionId, sequence)} dir="auto">
      {name}
      {sequence !== undefined && `, event ${sequence}`}
    </a>
  )
}
