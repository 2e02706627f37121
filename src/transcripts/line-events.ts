import { hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { defined } from '../domain/optional.ts'
import { customType } from './draft.ts'
import type { LineTranslator, TranscriptFormat, Translation } from './format.ts'
import { type Line, readPieces } from './read-lines.ts'
import { type LineEvent, partEvent, translateLine } from './translate-line.ts'

/** An event of a line, with the inputs of its id. */
export interface NumberedEvent extends Partial<Pick<Translation, 'usage' | 'endsResponse' | 'started'>> {
  event: LineEvent
  part: number
  digest: string
  at?: string
}

/** Yields the events of a line, even one too long to hold in memory. */
export async function* eventsOf(
  file: FileHandle,
  line: Line,
  { name }: Pick<TranscriptFormat, 'name'>,
  translator: LineTranslator,
): AsyncGenerator<NumberedEvent> {
  const { bytes, number, start, end } = line
  if (bytes !== undefined) {
    const { events = [], digest = '', ...more } = translateLine(bytes, number, name, translator) ?? {}
    for (const [part, event] of events.entries()) yield defined({ event, part, digest, ...more })
    return
  }
  const size = end - start
  const parts = { line: number, bytes: size }
  const head: LineEvent = { type: customType(name, 'long'), role: 'system', content: '', parts }
  yield { event: head, part: 0, digest: String(size) }
  let part = 0
  for await (const source of readPieces(file, line)) {
    part += 1
    yield { event: partEvent(name, source, number), part, digest: hash('sha256', JSON.stringify(source), 'hex') }
  }
}
