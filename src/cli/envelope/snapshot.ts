import { ValidationError } from '../../domain/errors.ts'
import { uuid } from '../../features/kernel/parse.ts'
import { readLines } from '../read-lines.ts'

/** Bytes of a line: more than any envelope has. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

/** The sessions of a snapshot of the cache: JSON Lines, each an envelope. Throws at the first line that is none, and names it. */
export async function* readSnapshotSessions(chunks: AsyncIterable<Uint8Array>, field: string): AsyncGenerator<string> {
  for await (const { number, text, problem } of readLines(chunks, MAX_LINE_BYTES)) {
    if (problem === undefined && text.trim() === '') continue
    const wrong = (what: string) => new ValidationError(field, `line ${number} ${what}`)
    if (problem !== undefined) throw wrong(problem)
    const id = uuid().safeParse(sessionIdOf(text, wrong))
    if (!id.success) throw wrong('is no envelope: its session_id must be the id of a session')
    yield id.data
  }
}

function sessionIdOf(text: string, wrong: (what: string) => ValidationError): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw wrong('is not JSON')
  }
  return (value as { session_id?: unknown } | null)?.session_id
}
