import { ValidationError } from '../../domain/errors.ts'
import { uuid } from '../../features/kernel/parse.ts'
import { readLines } from '../read-lines.ts'

/** Larger than any envelope. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

/** Session ids of a cache snapshot (JSON Lines of envelopes). Throws at the first invalid line and names it. */
export async function* readSnapshotSessions(chunks: AsyncIterable<Uint8Array>, field: string): AsyncGenerator<string> {
  for await (const { number, text, problem } of readLines(chunks, MAX_LINE_BYTES)) {
    if (problem === undefined && text.trim() === '') continue
    const wrong = (what: string) => new ValidationError(field, `line ${number} ${what}`)
    if (problem !== undefined) throw wrong(problem)
    const id = uuid().safeParse(sessionIdOf(text, wrong))
    if (!id.success) throw wrong('is not an envelope: session_id must be a session id')
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
