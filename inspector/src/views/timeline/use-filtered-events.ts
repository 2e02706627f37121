import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { SessionEvent } from '../../api/types.ts'
import { LIMITS } from '../../domain.ts'
import { EventFeed } from '../../session/event-feed.ts'
import type { SessionData } from '../../session/session-data.ts'
import type { EventFilter } from './event-filters.ts'

/** Most pages that one look back reads, and one that goes back to an event. */
const PAGES = { more: 5, target: 20 }
/** Events after which a look back stops. */
const ENOUGH = 60
/** Events after which it goes no further back. */
const MOST = 20_000

const asIs = (event: SessionEvent) => event

/** Events that pass a filter: from the end of the log back to `target`, if it is not too far, and further on demand. */
export function useFilteredEvents(data: SessionData, filter: EventFilter, target: number | undefined) {
  const feed = useMemo(() => {
    const { types, isShown } = filter
    return new EventFeed(data, { types, isShown, toItem: asIs, pageSize: target === undefined ? 200 : LIMITS.page })
  }, [data, filter])
  const { list } = feed
  const [isReady, setReady] = useState(false)
  const lastFound = useRef(0)
  const lookBack = useCallback(
    async (goal?: number) => {
      const before = list.items.peek().length
      const found = () => list.items.peek().length - before
      await list.more((pages) =>
        goal === undefined
          ? pages >= PAGES.more || found() >= ENOUGH
          : pages >= PAGES.target || feed.from.peek() <= goal,
      )
      lastFound.current = found()
    },
    [feed],
  )
  useEffect(() => {
    const stop = feed.follow()
    void lookBack(target).then(() => setReady(true))
    return stop
  }, [feed])
  const events = feed.events.value
  const isFull = events.length >= MOST
  const hasMore = list.hasMore.value && !isFull
  return {
    events,
    from: feed.from.value,
    isFull,
    hasMore,
    isLoading: list.isLoading.value || !list.hasLoaded.value,
    /** Whether the first look back has ended. */
    isReady,
    problem: list.problem.value,
    more: () => void (hasMore && lookBack()),
    /** The same while scrolling: not where it would read too much, or the last look found nothing. */
    moreOnScroll: () => {
      const isCheap = filter.types !== undefined && lastFound.current > 0
      if (hasMore && isCheap && list.problem.peek() === undefined) void lookBack()
    },
  }
}
