import { hash } from 'node:crypto'
import type { ExportedEvent } from '../api.ts'
import { ThroughlineError } from '../domain/errors.ts'
import { checkText, encodeJson, isObject, type Json, type JsonObject } from '../domain/json.ts'
import { defined } from '../domain/optional.ts'
import { customType, type Draft, omitKeys } from './draft.ts'
import type { LineTranslator, Translation } from './format.ts'
import { decodeUtf8, encodePieces } from './raw-source.ts'
import { sanitizeJson, sanitizeText } from './sanitize.ts'
import { parseTime, validTime } from './time.ts'

/** An event of a line, before it has a sequence. */
export type LineEvent = Pick<ExportedEvent, 'type' | 'role' | 'content' | 'occurredAt'> & { parts: JsonObject }

/** The events of a line. */
export interface TranslatedLine extends Partial<Omit<Translation, 'drafts' | 'facts'>> {
  readonly events: readonly LineEvent[]
  /** When the line was written according to itself, if a session can have that time. */
  readonly at?: string
  /** Hash of the line. */
  readonly digest: string
}

/** Maximum characters of an event's content and parts. */
export const MAX_EVENT = 4 * 1024 * 1024

/**
 * Translates a line to events without losing anything: what a store cannot hold exactly is sanitized, with the original
 * line beside it. `undefined` for a blank line.
 */
export function translateLine(
  bytes: Uint8Array,
  number: number,
  format: string,
  translator: LineTranslator,
): TranslatedLine | undefined {
  const text = decodeUtf8(bytes)
  if (text !== undefined && /^[ \t\r]*$/.test(text)) return undefined
  // the end of a line may be written later than the rest
  const digest = hash('sha256', text?.trimEnd() ?? bytes, 'hex')
  const value = text === undefined ? undefined : parseJson(text)
  if (value === undefined) return { events: unreadableEvents({ text, bytes, line: number, format }), digest }

  const occurredAt = isObject(value) ? validTime(value['timestamp']) : undefined
  const at = parseTime(occurredAt)
  const { drafts, facts: _facts, ...more } = translator.translate(value, number)
  const line = { bytes, line: number, format, ...(occurredAt !== undefined && { occurredAt }) }
  return { events: exactEvents(drafts, line) ?? sanitizedEvents(drafts, line), digest, ...(at && { at }), ...more }
}

/** Parses JSON; `undefined` if it is invalid. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

interface LineSource {
  readonly bytes: Uint8Array
  readonly line: number
  readonly format: string
  readonly occurredAt?: string
}

/** Returns the drafts unchanged if every store accepts them. */
function exactEvents(drafts: readonly Draft[], { line, occurredAt }: LineSource): LineEvent[] | undefined {
  const events = drafts.map(({ type, role, content, parts, raw: { at, block, entry } }): LineEvent => {
    // the event's occurredAt has the time
    const rest = occurredAt !== undefined && isObject(entry) ? omitKeys(entry, 'timestamp') : entry
    const kept = defined({ at, block, entry: rest })
    return defined({ type, role, content, parts: { ...parts, line, ...kept }, occurredAt })
  })
  return events.every(fits) ? events : undefined
}

function fits({ content, parts }: Pick<LineEvent, 'content' | 'parts'>): boolean {
  try {
    checkText(content, 'content')
    return content.length + encodeJson(parts, 'parts', MAX_EVENT).length <= MAX_EVENT
  } catch (error) {
    if (error instanceof ThroughlineError) return false
    throw error
  }
}

/** Returns the sanitized drafts and the original line. */
function sanitizedEvents(drafts: readonly Draft[], source: LineSource): LineEvent[] {
  const { line, occurredAt } = source
  const events = drafts.map(({ type, role, content, parts }): LineEvent => {
    const sanitized = sanitizeJson(parts) as JsonObject
    return { type, role, content: sanitizeText(content), parts: { ...truncateParts(sanitized), line } }
  })
  return withSource(events, source).map((event) => defined({ ...event, occurredAt }))
}

/** Truncates names, and drops arguments that are too large; ids still pair calls with results. */
function truncateParts({ arguments: given, ...parts }: JsonObject): JsonObject {
  const short = Object.fromEntries(
    Object.entries(parts).map(([key, value]) => [key, typeof value === 'string' ? sanitizeText(value, 512) : value]),
  )
  if (given === undefined) return short
  const isShort = JSON.stringify(given).length < MAX_EVENT / 4 && fits({ content: '', parts: { arguments: given } })
  return { ...short, arguments: isShort ? given : '…' }
}

function unreadableEvents({ text, ...source }: LineSource & { text: string | undefined }): LineEvent[] {
  const { bytes, line, format } = source
  const type = customType(format, 'unreadable')
  const event: LineEvent = { type, role: 'system', content: text ?? '', parts: { line } }
  if (text !== undefined && fits(event)) return [event]
  const content = sanitizeText(text ?? Buffer.from(bytes).toString())
  return withSource([{ ...event, content }], source)
}

/** Adds the original line in pieces: the first in the first event, the others as separate events. */
function withSource(events: readonly LineEvent[], { bytes, line, format }: LineSource): LineEvent[] {
  const [first, ...others] = encodePieces(bytes)
  const [head, ...rest] = events as readonly [LineEvent, ...LineEvent[]]
  const beside = { ...head, parts: { ...head.parts, source: first ?? { text: '' } } }
  return [beside, ...rest, ...others.map((source) => partEvent(format, source, line))]
}

/** Returns an event for one piece of a long line. */
export function partEvent(format: string, source: JsonObject, line: number): LineEvent {
  return { type: customType(format, 'part'), role: 'system', content: '', parts: { line, source } }
}
