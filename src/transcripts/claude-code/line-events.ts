import { hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { ownType } from './draft.ts'
import { type LineEvent, partEvent, translated } from './line.ts'
import { type Line, sourcesIn } from './lines.ts'

/** An event of a line, with what its id is made from. */
export interface Numbered {
  event: LineEvent
  part: number
  digest: string
  at?: string
}

/** The events of a line, be it held or too long for that. */
export async function* eventsOf(file: FileHandle, line: Line): AsyncGenerator<Numbered> {
  const { bytes, number, start, end } = line
  if (bytes !== undefined) {
    const { events = [], digest = '', at } = translated(bytes, number) ?? {}
    for (const [part, event] of events.entries()) yield { event, part, digest, ...(at !== undefined && { at }) }
    return
  }
  const size = end - start
  const head: LineEvent = { type: ownType('long'), role: 'system', content: '', parts: { line: number, bytes: size } }
  yield { event: head, part: 0, digest: String(size) }
  let part = 0
  for await (const source of sourcesIn(file, line)) {
    part += 1
    yield { event: partEvent(source, number), part, digest: hash('sha256', JSON.stringify(source), 'hex') }
  }
}
