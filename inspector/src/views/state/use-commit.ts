import type { SessionEvent } from '../../api/types.ts'
import type { SessionData } from '../../session/session-data.ts'
import { useEvents } from '../../session/use-events.ts'

const TYPES = ['session_compacted'] as const

/** The event with the commit of a session. Until it is known, and where there is none, `undefined`; `isKnown` tells them apart. */
export function useCommit(data: SessionData): { commit: SessionEvent | undefined; isKnown: boolean } {
  const { events, isLoading, problem } = useEvents(data, TYPES, 1)
  // what a fork copied of its source is no commit of its own
  const copied = data.record.value?.forkedFrom?.sequence ?? 0
  const commit = events.findLast(({ sequence }) => sequence > copied)
  return { commit, isKnown: !isLoading && problem === undefined }
}
