import { useCallback, useEffect, useMemo } from 'preact/hooks'
import { query } from '../../../route.ts'
import type { SessionData } from '../../../session/session-data.ts'
import type { Navigation } from '../use-navigation.ts'
import { LogSearch } from './log-search.ts'
import { matchFrom } from './match-steps.ts'

/** The search of a timeline, and how to go from match to match. */
export interface TimelineSearch {
  readonly search: LogSearch
  /** The text to find; empty without a search. */
  readonly find: string
  readonly onMatch: (direction: 1 | -1) => void
}

/** Searches a session for the text in the address. */
export function useLogSearch(data: SessionData, way: Navigation, named: number | undefined): TimelineSearch {
  const find = (query.value.get('find') ?? '').trim()
  const search = useMemo(() => new LogSearch(data), [data])
  useEffect(() => search.follow(), [search])
  useEffect(() => search.start(find), [search, find])
  const onMatch = useCallback(
    (direction: 1 | -1) => {
      const match = matchFrom(search.state.peek().matches, named, direction)
      if (match !== undefined) way.replaced(match)
    },
    [search, named, way.replaced],
  )
  return { search, find, onMatch }
}
