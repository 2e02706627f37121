import { type LegacySession, legacyBegin, legacyEvolve } from '../domain/legacy.ts'
import { eventOf, type LegacyRow, type Shape } from './shape.ts'

/** Sessions out of rows that are in order of session and time; it holds one page of rows. */
export async function* told(
  pages: Iterable<LegacyRow[]> | AsyncIterable<LegacyRow[]>,
  shape: Shape,
): AsyncGenerator<LegacySession> {
  let session: LegacySession | undefined
  for await (const page of pages) {
    for (const row of page) {
      if (session !== undefined && session.id !== row.session) {
        yield session
        session = undefined
      }
      session = legacyEvolve(session ?? legacyBegin(row.session), eventOf(row, shape))
    }
  }
  if (session !== undefined) yield session
}
