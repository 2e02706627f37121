import { useMemo } from 'preact/hooks'
import { useEventsOf } from '../../session/events-of.ts'
import type { SessionData } from '../../session/session-data.ts'
import { GROUPS, knownOf } from './marks.ts'

/** Changes of each kind that are marked and listed: the last ones. */
const MOST = 500

/** The last changes of a session, of each kind as many: those of one kind do not push out those of another. */
export function useChanges(data: SessionData) {
  const read = [
    useEventsOf(data, GROUPS.scratchpad, MOST),
    useEventsOf(data, GROUPS.status, MOST),
    useEventsOf(data, GROUPS.agent, MOST),
    useEventsOf(data, GROUPS.envelope, MOST),
    useEventsOf(data, GROUPS.work, MOST),
    useEventsOf(data, GROUPS.commit, MOST),
  ]
  const failed = read.filter(({ problem }) => problem !== undefined)
  const known = useMemo(
    () =>
      knownOf(
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
    again: () => {
      for (const { again } of failed) again()
    },
  }
}
