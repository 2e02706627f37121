import type { SessionEvent } from '../../api/types.ts'
import type { SessionData } from '../../session/session-data.ts'
import { useEvents } from '../../session/use-events.ts'

const TYPES = ['session_compacted'] as const

/** The event with the session's commit. `undefined` while loading and if there is none; `isKnown` tells them apart. */
export function useCommit(data: SessionData): { commit: SessionEvent | undefined; isKnown: boolean } {
  const { events, isLoading, problem } = useEvents(data, TYPES, 1)
  // a commit copied from the source of a fork is not its own
  const copied = data.record.value?.forkedFrom?.sequence ?? 0
  const commit = events.findLast(({ sequence }) => sequence > copied)
  return { commit, isKnown: !isLoading && problem === undefined }
}
