import { useCallback, useEffect, useMemo } from 'preact/hooks'
import type { SessionEvent } from '../api/types.ts'
import { LIMITS } from '../domain.ts'
import type { Request } from '../parts/use-request.ts'
import { EventFeed } from './event-feed.ts'
import type { SessionData } from './session-data.ts'

/** Characters of text after which no older page is read: single events may hold megabytes. */
const TEXT = 20_000_000

/** The last events of a session, oldest first. */
export interface LatestEvents<T = SessionEvent> extends Omit<Request<unknown>, 'value'> {
  readonly events: readonly T[]
  /** Whether older ones were left out. */
  readonly hasMore: boolean
}

const asIs = (event: SessionEvent) => event

/**
 * The last `most` events of these types, page by page, and each new one as it arrives. `toItem` says what to keep of an
 * event. Like `types`, it has to be the same value on every render.
 */
export function useEvents(data: SessionData, types: readonly string[], most?: number): LatestEvents<SessionEvent>
export function useEvents<T extends { readonly sequence: number }>(
  data: SessionData,
  types: readonly string[] | undefined,
  most: number,
  toItem: (event: SessionEvent) => T,
): LatestEvents<T>
export function useEvents(data: SessionData, types: readonly string[] | undefined, most = 2000, toItem = asIs) {
  const pageSize = Math.min(LIMITS.page, most)
  const feed = useMemo(
    () => new EventFeed(data, { types, most, pageSize, toItem }),
    [data, types, most, pageSize, toItem],
  )
  const { list } = feed
  const isEnough = (pages: number) => pages * pageSize >= most || feed.textRead >= TEXT
  useEffect(() => {
    const stop = feed.follow()
    void list.more(isEnough)
    return stop
  }, [feed])
  const problem = list.problem.value
  return {
    events: feed.events.value,
    hasMore: feed.hasMore.value,
    isLoading: list.isLoading.value || (!list.hasLoaded.value && problem === undefined),
    problem,
    reload: useCallback(() => {
      feed.textRead = 0
      void list.reload(isEnough)
    }, [feed]),
  }
}
