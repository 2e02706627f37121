import { RESERVED_KEYS } from './envelope.ts'
import { isObject, type Json, type JsonObject } from './json.ts'

/** A session of an older system, folded from its events. */
export interface LegacySession {
  /** Verbatim; need not be a UUID. */
  id: string
  /** Empty if no event names one. */
  personaId: string
  tenant?: string
  subject?: string
  issuer?: string
  scope?: string
  /** Client metadata without {@link RESERVED_KEYS}. The caller checks size and depth. */
  metadata: JsonObject
  /** `intent` and `sentiment` are text and `tags` a list of strings, if present; other keys are kept. */
  analysis: JsonObject
  /** Time of the first event that has one, ISO 8601 in UTC with milliseconds. */
  createdAt?: string
  /** Time of the last event that has one. */
  updatedAt?: string
  /** Number of events. */
  events: number
  /** Up to ten unique problems that were skipped or repaired, without content. */
  problems: string[]
}

/** One row of an older log. */
export interface LegacyEvent {
  /** ISO 8601 in UTC with milliseconds. */
  occurredAt?: string
  /** An object, or the JSON text of one. */
  payload?: unknown
  /** Columns with the same names as payload fields; they override the payload. */
  columns?: Readonly<Record<string, unknown>>
}

const IDENTITY = ['tenant', 'subject', 'issuer', 'scope'] as const

/** Payload fields that are read. */
export const LEGACY_FIELDS = ['role', 'type', 'persona_id', 'metadata', 'analysis', ...IDENTITY] as const

const SPEAKERS = ['user', 'user_message', 'assistant', 'assistant_message']
const MAX_PROBLEMS = 10
/** Far above every accepted depth, far below the stack limit. */
const MAX_DEPTH = 1000

type Draft = Record<string, Json>
/** Records a problem of the session. */
type ReportProblem = (problem: string) => void

/** A session before its first event. */
export function newLegacySession(id: string): LegacySession {
  return { id, personaId: '', metadata: {}, analysis: {}, events: 0, problems: [] }
}

/**
 * Applies the next event, in order of time. Total: malformed values are skipped and listed in `problems`. Mutates the
 * session, because a copy per event would make long sessions slow.
 */
export function applyLegacyEvent(session: LegacySession, event: LegacyEvent): LegacySession {
  const report: ReportProblem = (problem) => {
    if (session.problems.length < MAX_PROBLEMS && !session.problems.includes(problem)) session.problems.push(problem)
  }
  const fields = fieldsOf(event, report)
  const metadata = readObject(fields['metadata'], 'metadata', report) ?? {}

  session.events++
  if (event.occurredAt !== undefined) {
    session.createdAt ??= event.occurredAt
    session.updatedAt = event.occurredAt
  }
  for (const key of IDENTITY) {
    const value = session[key] ?? readText(fields[key], key, report) ?? readText(metadata[key], key, report)
    if (value !== undefined) session[key] = value
  }
  if (!isSpoken(fields)) return session
  session.personaId = readText(fields['persona_id'], 'persona_id', report) ?? session.personaId
  session.analysis =
    readAnalysis(fields['analysis'], report) ?? readAnalysis(metadata['analysis'], report) ?? session.analysis
  mergeInto(session.metadata as Draft, clientMetadata(metadata, report))
  return session
}

function fieldsOf({ payload, columns }: LegacyEvent, report: ReportProblem): Readonly<Record<string, unknown>> {
  if (columns === undefined && (payload === undefined || payload === null)) report('payload is missing')
  return { ...readObject(payload, 'payload', report), ...columns }
}

/** Whether a user or assistant spoke: tools and system say nothing about persona and analysis. */
function isSpoken(fields: Readonly<Record<string, unknown>>): boolean {
  const role = fields['role'] || fields['type']
  return typeof role === 'string' && SPEAKERS.includes(role.toLowerCase())
}

function clientMetadata(metadata: JsonObject, report: ReportProblem): JsonObject {
  const rest: Draft = { ...metadata }
  for (const key of RESERVED_KEYS) delete rest[key]
  return cleanObject(rest, 'metadata', report)
}

function readAnalysis(value: unknown, report: ReportProblem): JsonObject | undefined {
  const given = readObject(value, 'analysis', report)
  if (given === undefined) return undefined
  const analysis = cleanObject(given, 'analysis', report)
  const check = (key: string, what: string, fits: (value: Json) => boolean) => {
    const found = analysis[key]
    if (found === undefined || fits(found)) return
    delete analysis[key]
    if (found !== null) report(`analysis.${key} is not ${what}`)
  }
  check('intent', 'text', isText)
  check('sentiment', 'text', isText)
  check('tags', 'a list of texts', (tags) => Array.isArray(tags) && tags.every(isText))
  // an empty analysis does not replace an earlier one
  return Object.keys(analysis).length === 0 ? undefined : analysis
}

function isText(value: Json): boolean {
  return typeof value === 'string'
}

/** Reads an object or its JSON text, which some systems encoded twice. */
function readObject(value: unknown, name: string, report: ReportProblem): JsonObject | undefined {
  if (value === undefined || value === null) return undefined
  let found: unknown = value
  for (let times = 0; times < 2 && typeof found === 'string'; times++) found = parseJson(found)
  if (isObject(found as Json | undefined)) return found as JsonObject
  report(`${name} is not an object`)
  return undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads non-empty text. */
function readText(value: unknown, name: string, report: ReportProblem): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') return void report(`${name} is not text`)
  return value.trim() === '' ? undefined : cleanText(value, name, report)
}

/** Makes text storable on every store. */
function cleanText(text: string, name: string, report: ReportProblem): string {
  if (!text.includes('\0') && text.isWellFormed()) return text
  report(`${name} has text with NUL or a lone surrogate: replaced by U+FFFD`)
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}

function cleanValue(value: unknown, name: string, report: ReportProblem, depth: number): Json {
  if (typeof value === 'string') return cleanText(value, name, report)
  if (typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value === 'number') report(`${name} has a number that is too large: replaced by null`)
  if (typeof value !== 'object' || value === null) return null
  if (depth > MAX_DEPTH) {
    report(`${name} nests deeper than ${MAX_DEPTH} levels: cut there`)
    return null
  }
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, name, report, depth + 1))
  return cleanObject(value, name, report, depth)
}

/** Copies an object without `__proto__`, which no store accepts as a key. */
function cleanObject(value: object, name: string, report: ReportProblem, depth = 1): Draft {
  const copy: Draft = {}
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') report(`${name} has a key named '__proto__': left out`)
    else copy[cleanText(key, name, report)] = cleanValue(item, name, report, depth + 1)
  }
  return copy
}

/** Merges objects key by key; anything else replaces. Unlike in a merge patch, `null` is a value. */
function mergeInto(target: Draft, newer: JsonObject): void {
  for (const [key, value] of Object.entries(newer)) {
    const older = Object.hasOwn(target, key) ? target[key] : undefined
    if (isObject(older) && isObject(value)) mergeInto(older as Draft, value)
    else target[key] = value
  }
}
