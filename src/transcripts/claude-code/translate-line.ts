import { hash } from 'node:crypto'
import type { ExportedEvent } from '../../api.ts'
import { ThroughlineError } from '../../domain/errors.ts'
import { checkText, encodeJson, isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { customType, type Draft, omitKeys } from './draft.ts'
import { draftsOf } from './entry-drafts.ts'
import { decodeUtf8, encodePieces } from './raw-source.ts'
import { sanitizeJson, sanitizeText } from './sanitize.ts'
import { parseTime, validTime } from './time.ts'

/** An event of a line, before it has its place in a log. */
export type LineEvent = Pick<ExportedEvent, 'type' | 'role' | 'content' | 'occurredAt'> & { parts: JsonObject }

/** What a line became. */
export interface TranslatedLine {
  readonly events: readonly LineEvent[]
  /** When it was written, by its own account, if that is a moment that a session can go by. */
  readonly at?: string
  /** Of the line: another line has another. */
  readonly digest: string
}

/** Characters of one event, content and parts together. */
export const MAX_EVENT = 4 * 1024 * 1024

/**
 * The events of one line. All of it is in them: what stores cannot hold as it is, or not at once, is shown as well as it can be, and the line
 * is kept whole beside that. `undefined` for a blank one.
 */
export function translateLine(bytes: Uint8Array, number: number): TranslatedLine | undefined {
  const text = decodeUtf8(bytes)
  if (text !== undefined && /^[ \t\r]*$/.test(text)) return undefined
  // the end of a line may come later than the rest of it
  const digest = hash('sha256', text?.trimEnd() ?? bytes, 'hex')
  const value = text === undefined ? undefined : parseJson(text)
  if (value === undefined) return { events: unreadableEvents(text, bytes, number), digest }

  const occurredAt = isObject(value) ? validTime(value['timestamp']) : undefined
  const at = parseTime(occurredAt)
  const drafts = draftsOf(value)
  const time = occurredAt === undefined ? {} : { occurredAt }
  return {
    events: exactEvents(drafts, number, time) ?? sanitizedEvents(drafts, bytes, number, time),
    digest,
    ...(at && { at }),
  }
}

/** The value of a line; `undefined` if it is no JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

interface Time {
  occurredAt?: string
}

/** The drafts as they are, if every store takes them. */
function exactEvents(drafts: readonly Draft[], line: number, { occurredAt }: Time): LineEvent[] | undefined {
  const events = drafts.map(({ type, role, content, parts, raw: { at, block, entry } }): LineEvent => {
    // the event says when it happened
    const rest = occurredAt !== undefined && isObject(entry) ? omitKeys(entry, 'timestamp') : entry
    const kept = {
      ...(at !== undefined && { at }),
      ...(block !== undefined && { block }),
      ...(rest !== undefined && { entry: rest }),
    }
    return { type, role, content, parts: { ...parts, line, ...kept }, ...(occurredAt !== undefined && { occurredAt }) }
  })
  return events.every(fits) ? events : undefined
}

function fits({ content, parts }: LineEvent): boolean {
  try {
    checkText(content, 'content')
    return content.length + encodeJson(parts, 'parts', MAX_EVENT).length <= MAX_EVENT
  } catch (error) {
    if (error instanceof ThroughlineError) return false
    throw error
  }
}

/** What the drafts show, cleaned, and the line itself. */
function sanitizedEvents(drafts: readonly Draft[], bytes: Uint8Array, line: number, { occurredAt }: Time): LineEvent[] {
  const events = drafts.map(({ type, role, content, parts }): LineEvent => {
    const sanitized = sanitizeJson(parts) as JsonObject
    return { type, role, content: sanitizeText(content), parts: { ...truncateParts(sanitized), line } }
  })
  return withSource(events, bytes, line).map((event) => ({ ...event, ...(occurredAt !== undefined && { occurredAt }) }))
}

/** Of a call whose arguments are too large the rest: names pair calls with results. */
function truncateParts({ arguments: given, ...parts }: JsonObject): JsonObject {
  const short = Object.fromEntries(
    Object.entries(parts).map(([key, value]) => [key, typeof value === 'string' ? sanitizeText(value, 512) : value]),
  )
  if (given === undefined) return short
  return { ...short, arguments: JSON.stringify(given).length < MAX_EVENT / 4 ? given : '…' }
}

function unreadableEvents(text: string | undefined, bytes: Uint8Array, line: number): LineEvent[] {
  const event: LineEvent = { type: customType('unreadable'), role: 'system', content: text ?? '', parts: { line } }
  if (text !== undefined && fits(event)) return [event]
  const content = sanitizeText(text ?? Buffer.from(bytes).toString())
  return withSource([{ ...event, content }], bytes, line)
}

/** The line in pieces: the first beside the first event, each other one an event of its own. */
function withSource(events: readonly LineEvent[], bytes: Uint8Array, line: number): LineEvent[] {
  const [first, ...others] = encodePieces(bytes)
  const [head, ...rest] = events as readonly [LineEvent, ...LineEvent[]]
  const beside = { ...head, parts: { ...head.parts, source: first ?? { text: '' } } }
  return [beside, ...rest, ...others.map((source) => partEvent(source, line))]
}

/** A piece of a line that is too long for one event. */
export function partEvent(source: JsonObject, line: number): LineEvent {
  return { type: customType('part'), role: 'system', content: '', parts: { line, source } }
}
