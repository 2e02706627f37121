import { hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { defined } from '../../domain/optional.ts'
import { customType } from './draft.ts'
import { type Line, readPieces } from './read-lines.ts'
import { type LineEvent, partEvent, translateLine } from './translate-line.ts'

/** An event of a line, with the inputs of its id. */
export interface NumberedEvent {
  event: LineEvent
  part: number
  digest: string
  at?: string
}

/** Yields the events of a line, even one too long to hold in memory. */
export async function* eventsOf(file: FileHandle, line: Line): AsyncGenerator<NumberedEvent> {
  const { bytes, number, start, end } = line
  if (bytes !== undefined) {
    const { events = [], digest = '', at } = translateLine(bytes, number) ?? {}
    for (const [part, event] of events.entries()) yield defined({ event, part, digest, at })
    return
  }
  const size = end - start
  const head: LineEvent = {
    type: customType('long'),
    role: 'system',
    content: '',
    parts: { line: number, bytes: size },
  }
  yield { event: head, part: 0, digest: String(size) }
  let part = 0
  for await (const source of readPieces(file, line)) {
    part += 1
    yield { event: partEvent(source, number), part, digest: hash('sha256', JSON.stringify(source), 'hex') }
  }
}
