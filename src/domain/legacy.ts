import { RESERVED_KEYS } from './envelope.ts'
import { isObject, type Json, type JsonObject } from './json.ts'

/** A session of an older system, as its events tell of it. */
export interface LegacySession {
  /** As it stands there: it need not be a UUID. */
  id: string
  /** Empty when no event names one. */
  personaId: string
  tenant?: string
  subject?: string
  issuer?: string
  scope?: string
  /** What clients gave, without {@link RESERVED_KEYS}. How large and how deep it may be is for the caller to say. */
  metadata: JsonObject
  /** `intent` and `sentiment` are texts and `tags` a list of texts, where they are there; other keys are kept. */
  analysis: JsonObject
  /** Time of the first event that has one, ISO 8601 in UTC with milliseconds. */
  createdAt?: string
  /** The same of the last. */
  updatedAt?: string
  /** How many events it has. */
  events: number
  /** What was left out or mended, in plain words without content: each once, and no more than ten. */
  problems: string[]
}

/** One row of an older log. */
export interface LegacyEvent {
  /** ISO 8601 in UTC with milliseconds. */
  occurredAt?: string
  /** An object, or the JSON text of one. */
  payload?: unknown
  /** What the row says beside its payload, or without one, under the same names; it goes before what the payload says. */
  columns?: Readonly<Record<string, unknown>>
}

const IDENTITY = ['tenant', 'subject', 'issuer', 'scope'] as const

/** What of a payload is read. */
export const LEGACY_FIELDS = ['role', 'type', 'persona_id', 'metadata', 'analysis', ...IDENTITY] as const

const SPEAKERS = ['user', 'user_message', 'assistant', 'assistant_message']
const MAX_PROBLEMS = 10
/** Far more levels than are accepted anywhere, far fewer than the stack has. */
const MAX_DEPTH = 1000

type Draft = Record<string, Json>
/** Notes a problem of the session. */
type ReportProblem = (problem: string) => void

/** A session before its first event. */
export function newLegacySession(id: string): LegacySession {
  return { id, personaId: '', metadata: {}, analysis: {}, events: 0, problems: [] }
}

/**
 * Applies the next event, in order of time. Total: what is malformed is left out and named in `problems`. It changes the
 * session it is given, because a copy for each event would make a long session slow.
 */
export function applyLegacyEvent(session: LegacySession, event: LegacyEvent): LegacySession {
  const tell: ReportProblem = (problem) => {
    if (session.problems.length < MAX_PROBLEMS && !session.problems.includes(problem)) session.problems.push(problem)
  }
  const fields = fieldsOf(event, tell)
  const metadata = readObject(fields['metadata'], 'metadata', tell) ?? {}

  session.events++
  if (event.occurredAt !== undefined) {
    session.createdAt ??= event.occurredAt
    session.updatedAt = event.occurredAt
  }
  for (const key of IDENTITY) {
    const value = session[key] ?? readText(fields[key], key, tell) ?? readText(metadata[key], key, tell)
    if (value !== undefined) session[key] = value
  }
  if (!isSpoken(fields)) return session
  session.personaId = readText(fields['persona_id'], 'persona_id', tell) ?? session.personaId
  session.analysis =
    readAnalysis(fields['analysis'], tell) ?? readAnalysis(metadata['analysis'], tell) ?? session.analysis
  mergeInto(session.metadata as Draft, clientMetadata(metadata, tell))
  return session
}

function fieldsOf({ payload, columns }: LegacyEvent, tell: ReportProblem): Readonly<Record<string, unknown>> {
  if (columns === undefined && (payload === undefined || payload === null)) tell('payload is missing')
  return { ...readObject(payload, 'payload', tell), ...columns }
}

/** Whether a user or an assistant spoke: tools and the system say nothing about persona and analysis. */
function isSpoken(fields: Readonly<Record<string, unknown>>): boolean {
  const role = fields['role'] || fields['type']
  return typeof role === 'string' && SPEAKERS.includes(role.toLowerCase())
}

function clientMetadata(metadata: JsonObject, tell: ReportProblem): JsonObject {
  const rest: Draft = { ...metadata }
  for (const key of RESERVED_KEYS) delete rest[key]
  return cleanObject(rest, 'metadata', tell)
}

function readAnalysis(value: unknown, tell: ReportProblem): JsonObject | undefined {
  const given = readObject(value, 'analysis', tell)
  if (given === undefined) return undefined
  const analysis = cleanObject(given, 'analysis', tell)
  const check = (key: string, what: string, fits: (value: Json) => boolean) => {
    const found = analysis[key]
    if (found === undefined || fits(found)) return
    delete analysis[key]
    if (found !== null) tell(`analysis.${key} is not ${what}`)
  }
  check('intent', 'text', isText)
  check('sentiment', 'text', isText)
  check('tags', 'a list of texts', (tags) => Array.isArray(tags) && tags.every(isText))
  // one that says nothing does not replace one that does
  return Object.keys(analysis).length === 0 ? undefined : analysis
}

function isText(value: Json): boolean {
  return typeof value === 'string'
}

/** An object, or JSON text of one. Some wrote the text as JSON once more. */
function readObject(value: unknown, name: string, tell: ReportProblem): JsonObject | undefined {
  if (value === undefined || value === null) return undefined
  let found: unknown = value
  for (let times = 0; times < 2 && typeof found === 'string'; times++) found = parseJson(found)
  if (isObject(found as Json | undefined)) return found as JsonObject
  tell(`${name} is not an object`)
  return undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A text that is not empty. */
function readText(value: unknown, name: string, tell: ReportProblem): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') return void tell(`${name} is not text`)
  return value.trim() === '' ? undefined : cleanText(value, name, tell)
}

/** Text that every store can give back. */
function cleanText(text: string, name: string, tell: ReportProblem): string {
  if (!text.includes('\0') && text.isWellFormed()) return text
  tell(`${name} has text with NUL or a lone surrogate: replaced by U+FFFD`)
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}

function cleanValue(value: unknown, name: string, tell: ReportProblem, depth: number): Json {
  if (typeof value === 'string') return cleanText(value, name, tell)
  if (typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value === 'number') tell(`${name} has a number that is too large: replaced by null`)
  if (typeof value !== 'object' || value === null) return null
  if (depth > MAX_DEPTH) {
    tell(`${name} nests deeper than ${MAX_DEPTH} levels: cut there`)
    return null
  }
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, name, tell, depth + 1))
  return cleanObject(value, name, tell, depth)
}

/** A copy of its own, without `__proto__`, which no store takes as a key. */
function cleanObject(value: object, name: string, tell: ReportProblem, depth = 1): Draft {
  const copy: Draft = {}
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') tell(`${name} has a key named '__proto__': left out`)
    else copy[cleanText(key, name, tell)] = cleanValue(item, name, tell, depth + 1)
  }
  return copy
}

/** Objects merge key by key, anything else replaces; unlike in a merge patch, `null` is a value. */
function mergeInto(target: Draft, newer: JsonObject): void {
  for (const [key, value] of Object.entries(newer)) {
    const older = Object.hasOwn(target, key) ? target[key] : undefined
    if (isObject(older) && isObject(value)) mergeInto(older as Draft, value)
    else target[key] = value
  }
}
