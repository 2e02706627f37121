import { ValidationError } from '../../domain/errors.ts'
import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { type Line, readLines } from '../read-lines.ts'

/** A document of an import file, not validated yet, or the problem with its line. */
export interface SourceDocument {
  /** Position for messages: `line 3`, `document 3`. */
  readonly place: string
  readonly value: Json
  readonly problem?: string
}

/** Keys for the text of a document, in order of preference. */
export const CONTENT_KEYS = ['content', 'text', 'page_content'] as const

/** Limit for a file with one JSON value, which is read into memory, and for one line of JSON Lines. */
export const MAX_BYTES = 256 * 1024 * 1024

/**
 * Reads documents from JSON Lines, an array, `{ documents: [...] }` or a docstore `{ id: document }`. Streams JSON
 * Lines, where an invalid line is one invalid document; reads the other formats into memory.
 */
export async function* readDocuments(
  chunks: AsyncIterable<Uint8Array>,
  limit = MAX_BYTES,
): AsyncGenerator<SourceDocument> {
  const lines = nonEmpty(readLines(chunks, limit))
  const first = (await lines.next()).value as Line | undefined
  if (first === undefined) return
  const second = (await lines.next()).value as Line | undefined
  const begin = second === undefined ? [first] : [first, second]
  if (isSingleValue(first, second)) {
    yield* listDocuments(parseWhole(await joinLines(begin, lines, limit)))
    return
  }
  for (const line of begin) yield parseLine(line)
  for await (const line of lines) yield parseLine(line)
}

async function* nonEmpty(lines: AsyncIterable<Line>): AsyncGenerator<Line, undefined> {
  for await (const line of lines) if (line.problem !== undefined || line.text.trim() !== '') yield line
  return undefined
}

/** Whether the lines form one JSON value. The first two decide, so that JSON Lines can be streamed. */
function isSingleValue({ text, problem }: Line, second: Line | undefined): boolean {
  if (problem !== undefined) return second === undefined
  const start = text.trimStart()[0]
  if (start !== '[' && start !== '{') return false
  const value = tryParse(text)
  if (value instanceof Error) return start === '[' || !second?.text.trimStart().startsWith('{')
  return second === undefined && !isDocument(value)
}

/** Whether a single value is one document, not a collection. */
function isDocument(value: Json): boolean {
  if (!isObject(value)) return false
  if (Array.isArray(value['documents'])) return false
  return CONTENT_KEYS.some((key) => typeof value[key] === 'string') || !Object.values(value).every(isObject)
}

function parseLine({ number, text, problem }: Line): SourceDocument {
  const place = `line ${number}`
  if (problem !== undefined) return { place, value: null, problem }
  const value = tryParse(text)
  return value instanceof Error ? { place, value: null, problem: describeJsonError(value) } : { place, value }
}

async function joinLines(begin: readonly Line[], rest: AsyncIterable<Line>, limit: number): Promise<string> {
  const texts: string[] = []
  let size = 0
  const add = ({ number, text, problem }: Line) => {
    if (problem !== undefined) throw new ValidationError('file', `line ${number} ${problem}`)
    size += text.length + 1
    if (size > limit) {
      throw new ValidationError('file', `is one JSON value of more than ${limit} characters; convert it to JSON Lines`)
    }
    texts.push(text)
  }
  for (const line of begin) add(line)
  for await (const line of rest) add(line)
  return texts.join('\n')
}

function parseWhole(text: string): Json {
  const value = tryParse(text)
  if (value instanceof Error) throw new ValidationError('file', describeJsonError(value), { cause: value })
  return value
}

function* listDocuments(whole: Json): Generator<SourceDocument> {
  if (isDocument(whole)) {
    yield { place: 'document 1', value: whole }
    return
  }
  const list = Array.isArray(whole) ? whole : (whole as JsonObject)['documents']
  let number = 0
  if (Array.isArray(list)) {
    for (const value of list as readonly Json[]) yield { place: `document ${++number}`, value }
    return
  }
  for (const [id, value] of Object.entries(whole as JsonObject)) {
    yield { place: `document ${++number}`, value: isObject(value) ? { ...value, id } : value }
  }
}

/** A numeric id that JavaScript would round: FAISS ids have 64 bits. */
const LONG_ID = /"id"\s*:\s*-?\d{16,}\s*[,}]/

function tryParse(text: string): Json | SyntaxError {
  try {
    return LONG_ID.test(text) ? (JSON.parse(text, exactId) as Json) : (JSON.parse(text) as Json)
  } catch (error) {
    return error as SyntaxError
  }
}

/** Keeps all digits of an id. */
function exactId(key: string, value: unknown, context?: { source?: string }): unknown {
  const rounded = key === 'id' && typeof value === 'number' && !Number.isSafeInteger(value)
  return rounded ? (context?.source ?? value) : value
}

/** The parser's message without the content of the file. */
function describeJsonError({ message }: Error): string {
  return `is not JSON: ${message.replace(/, (?:\.\.\.)?"[\s\S]*$/, '')}`
}
