import { useEffect } from 'preact/hooks'
import { get, sessionPath } from '../../api/client.ts'
import type { Page, RequestStatus, SessionRequest } from '../../api/types.ts'
import { type PagedList, usePagedList } from '../../parts/paged-list.ts'
import type { SessionData } from '../../session/session-data.ts'

const PAGE = 100

/** The requests of a session in one state. They follow the log. */
export function useRequests(data: SessionData, status: RequestStatus): { list: PagedList<SessionRequest> } {
  const list = usePagedList<SessionRequest>(
    (cursor, signal) =>
      get<Page<SessionRequest>>(sessionPath(data.id, '/requests'), { status, limit: PAGE, cursor }, signal),
    [data, status],
  )
  useEffect(
    () =>
      data.onEvents((events) => {
        if (events.some(({ type }) => type === 'request_opened' || type === 'request_resolved')) void list.reload()
      }),
    [data, list],
  )
  return { list }
}
