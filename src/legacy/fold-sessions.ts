import { applyLegacyEvent, type LegacySession, newLegacySession } from '../domain/legacy.ts'
import { type LegacyRow, type TableShape, toLegacyEvent } from './table-shape.ts'

/** Folds rows, ordered by session and time, to sessions. Holds one page of rows. */
export async function* foldSessions(
  pages: Iterable<LegacyRow[]> | AsyncIterable<LegacyRow[]>,
  shape: TableShape,
): AsyncGenerator<LegacySession> {
  let session: LegacySession | undefined
  for await (const page of pages) {
    for (const row of page) {
      if (session !== undefined && session.id !== row.session) {
        yield session
        session = undefined
      }
      session = applyLegacyEvent(session ?? newLegacySession(row.session), toLegacyEvent(row, shape))
    }
  }
  if (session !== undefined) yield session
}
