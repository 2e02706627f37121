import { useMemo } from 'preact/hooks'
import type { SessionData } from '../../session/session-data.ts'
import { useEvents } from '../../session/use-events.ts'
import { GROUPS, knownOf } from './marks.ts'

/** Changes of each kind that are marked and listed: the last ones. */
const MOST = 500

/** The last changes of a session, of each kind as many: those of one kind do not push out those of another. */
export function useChanges(data: SessionData) {
  const read = [
    useEvents(data, GROUPS.scratchpad, MOST),
    useEvents(data, GROUPS.status, MOST),
    useEvents(data, GROUPS.agent, MOST),
    useEvents(data, GROUPS.envelope, MOST),
    useEvents(data, GROUPS.work, MOST),
    useEvents(data, GROUPS.commit, MOST),
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
      for (const { reload } of failed) reload()
    },
  }
}
