import type { ExportedEvent, SessionBlock } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { type Json, stringifyJson } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import { checkedBlocks, type NumberedLine, VERSION } from './checked-lines.ts'
import { type ExportCheck, Tally } from './checksum.ts'

export type { ExportCheck } from './checksum.ts'

/** The first line of an export, of one session or of all. */
export function headerOf(sessionId?: string): string {
  const of = sessionId === undefined ? {} : { session: sessionId.toLowerCase() }
  return lineOf({ kind: 'throughline-export', version: VERSION, ...of })
}

/**
 * An export as JSON Lines, each with its line feed: equal sessions give equal text on every store. `from`, the last
 * check of a truncated export, continues after it; the blocks must start there too. `of` names the only session of the
 * export.
 */
export async function* exportLines(
  blocks: AsyncIterable<SessionBlock> | Iterable<SessionBlock>,
  { from, of }: { from?: ExportCheck | undefined; of?: string | undefined } = {},
): AsyncGenerator<string, void> {
  const tally = new Tally(from)
  let last = from?.sequence ?? 0
  const check = (done: boolean) => lineOf({ kind: 'check', ...tally.close(last, done) })
  if (from === undefined) yield headerOf(of)
  for await (const { sessionId, events, done } of blocks) {
    if (!tally.isIn(sessionId)) {
      if (of !== undefined && sessionId !== of.toLowerCase()) {
        throw new ValidationError('blocks', `must belong to session ${of}, not ${sessionId}`)
      }
      // the previous session was purged during the export
      if (tally.isOpen) yield check(false)
      const line = lineOf({ kind: 'session', id: sessionId })
      tally.begin(sessionId, line)
      last = 0
      yield line
    }
    for (const event of events) {
      // before the next session, not after the last block: only now the session is known to be complete
      if (tally.isFull) yield check(false)
      if (event.sequence !== last + 1) throw wrongOrder(sessionId, last, event)
      const line = eventLine(event)
      tally.add(line)
      last = event.sequence
      yield line
    }
    if (done) yield check(true)
  }
  if (tally.isOpen) yield check(false)
  const { sessions, events, total } = tally.check
  yield lineOf({ kind: 'total', sessions, events, sum: total })
}

function wrongOrder(sessionId: string, last: number, { sequence }: ExportedEvent): ValidationError {
  return new ValidationError('blocks', `must continue with event ${last + 1} of session ${sessionId}, not ${sequence}`)
}

function eventLine(event: ExportedEvent): string {
  const { sequence, id, type, role, content, parts, agentId, occurredAt, createdAt, checksum } = event
  const written = { sequence, id, type, role, content, parts, agentId, occurredAt, createdAt, checksum }
  return lineOf(defined({ kind: 'event', ...written }))
}

/** Escapes the two characters that are legal in JSON but end a line for some readers. */
function lineOf(value: Json): string {
  const text = stringifyJson(value)
  const plain = /[\u2028\u2029]/.test(text) ? text.replace(/[\u2028\u2029]/g, escaped) : text
  return `${plain}\n`
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`
}

/**
 * Reads the lines of {@link exportLines}, with or without line feeds. Verifies each block before yielding it; throws
 * `ValidationError` with the line where something is missing or changed. Several exports may follow each other.
 */
export async function* importLines(
  lines: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<SessionBlock, void> {
  yield* blocksIn(numbered(lines))
}

/** Like {@link importLines}, for numbered lines. */
export async function* blocksIn(lines: AsyncIterable<NumberedLine>): AsyncGenerator<SessionBlock, void> {
  for await (const { number, events, check } of checkedBlocks(lines)) {
    if (check === undefined) continue
    const first = number - events.length
    yield { sessionId: check.session, events: events.map((line, i) => eventIn(line, first + i)), done: check.done }
  }
}

function eventIn(line: string, number: number): ExportedEvent {
  try {
    const { kind: _kind, ...event } = JSON.parse(line) as ExportedEvent & { kind: string }
    return event
  } catch (cause) {
    throw new ValidationError(`line ${number}`, 'is not JSON', { cause })
  }
}

async function* numbered(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<NumberedLine> {
  let number = 0
  for await (const text of lines) yield { number: ++number, text: text.replace(/\r?\n$/, '') }
}
