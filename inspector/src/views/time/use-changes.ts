import { useMemo } from 'preact/hooks'
import type { SessionData } from '../../session/session-data.ts'
import { useEvents } from '../../session/use-events.ts'
import { mergeChanges, TYPES_BY_KIND } from './changes.ts'

/** Most recent changes to load per kind. */
const MAX_PER_KIND = 500

/** The last changes of a session, loaded per kind so that a frequent kind does not crowd out another. */
export function useChanges(data: SessionData) {
  const read = TYPES_BY_KIND.map((types) => useEvents(data, types, MAX_PER_KIND))
  const failed = read.filter(({ problem }) => problem !== undefined)
  const known = useMemo(
    () =>
      mergeChanges(
        read.map(({ events, hasMore, isLoading, problem }) => ({
          events,
          hasMore: hasMore || isLoading || problem !== undefined,
        })),
      ),
    read.flatMap(({ events, hasMore, isLoading, problem }) => [events, hasMore, isLoading, problem]),
  )
  return {
    known,
    isLoading: read.some(({ isLoading }) => isLoading),
    problem: failed[0]?.problem,
    reload: () => {
      for (const { reload } of failed) reload()
    },
  }
}
