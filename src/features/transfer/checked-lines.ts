import { ValidationError } from '../../domain/errors.ts'
import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { BLOCK, type ExportCheck, Tally } from './checksum.ts'

/** A line without its line feed, or what is wrong with it. */
export interface NumberedLine {
  /** Counted from 1. */
  readonly number: number
  readonly text: string
  readonly problem?: string
}

/** A verified part of an export. */
export interface CheckedPart {
  /** Line of the check or the total. */
  readonly number: number
  /** Lines of the events. */
  readonly events: readonly string[]
  /** Absent for the final total: the export is complete. */
  readonly check?: ExportCheck
}

const EVENT = /^\{"kind":"event","sequence":(\d+),/
/** The version that is written, and the newest that is read. */
export const VERSION = 1

const AGAIN =
  'What came before it is whole. Make the export again, or go on with `throughline export --resume`, and import it once more'

const MISSING = 'does not fit what is before: it was changed, or a session before it is missing'

/** Reads an export and yields each block after verifying its checksum. The content is not checked. */
export async function* checkedBlocks(lines: AsyncIterable<NumberedLine>): AsyncGenerator<CheckedPart, void> {
  let reader: PartReader | undefined
  let last = 0
  const iterator = lines[Symbol.asyncIterator]()
  try {
    for (let line = await iterator.next(); !line.done; line = await iterator.next()) {
      const { number, text, problem } = line.value
      last = number
      if (text === '' && problem === undefined) continue
      const value = EVENT.test(text) ? undefined : parsed(text)
      if (problem !== undefined || value instanceof Error) {
        // a truncated export ends within its last line
        if (reader !== undefined && (await iterator.next()).done) break
        if (reader === undefined) throw notBegun(number)
        throw damaged(number, problem ?? 'is not JSON')
      }
      if (reader === undefined) {
        reader = new PartReader(sessionInHeader(value, number))
        continue
      }
      const part = value === undefined ? reader.event(text, number) : reader.other(value, text, number)
      if (part === undefined) continue
      yield part
      if (part.check === undefined) reader = undefined
    }
  } finally {
    await iterator.return?.()
  }
  if (last === 0) throw new ValidationError('lines', 'are empty: this is not an export')
  if (reader !== undefined) throw torn(last)
}

/** One export, after its first line. */
class PartReader {
  readonly #tally = new Tally()
  readonly #of: string | undefined
  #events: string[] = []
  #first = 0

  /** @param of the only session of the export, if it has one */
  constructor(of: string | undefined) {
    this.#of = of
  }

  event(text: string, number: number): undefined {
    if (this.#tally.check.done) throw damaged(number, 'is an event, and no session has begun')
    if (this.#tally.isFull) throw damaged(number, `must be a check, which comes after ${BLOCK.events} events at most`)
    this.#first ||= number
    this.#events.push(text)
    this.#tally.add(`${text}\n`)
  }

  other(value: Json, text: string, number: number): CheckedPart | undefined {
    const { kind, ...fields } = isObject(value) ? value : ({} as JsonObject)
    if (kind === 'check') return this.#check(fields, number)
    if (this.#tally.isOpen) throw damaged(number, 'must be an event or a check: the block before it has none')
    if (kind === 'total') return this.#total(fields, number)
    const { id } = fields
    if (kind !== 'session' || typeof id !== 'string') {
      const what = typeof kind === 'string' ? `of the kind '${kind.slice(0, 32)}'` : 'of no kind'
      throw damaged(number, `is ${what}, where a session, an event, a check or a total has to be`)
    }
    if (this.#of !== undefined && id !== this.#of) {
      throw damaged(number, `is session ${id}, and the first line says that the export is of ${this.#of}`)
    }
    this.#tally.begin(id, `${text}\n`)
    this.#first = number
    return undefined
  }

  #check(said: JsonObject, number: number): CheckedPart {
    const last = this.#events.at(-1)
    if (last === undefined) throw damaged(number, 'is a check with no event before it')
    const range = `lines ${this.#first} to ${number - 1}`
    const check = this.#tally.close(Number(EVENT.exec(last)?.[1]), said['done'] === true)
    if (said['sum'] !== check.sum) {
      throw damaged(number, `does not fit ${range}: one of them was changed, is missing, or stands in another place`)
    }
    // the block itself is whole, so the damage is before it
    if (!isSame(said, { ...check })) throw damaged(number, MISSING)
    const events = this.#events
    this.#events = []
    this.#first = 0
    return { number, events, check }
  }

  #total(said: JsonObject, number: number): CheckedPart {
    const { sessions, events, total } = this.#tally.check
    if (isSame(said, { sessions, events, sum: total })) return { number, events: [] }
    throw damaged(number, MISSING)
  }
}

function isSame(said: JsonObject, is: JsonObject): boolean {
  return Object.entries(is).every(([key, value]) => said[key] === value)
}

/** Checks the first line; returns the session of the export, `undefined` if it is of all sessions. */
function sessionInHeader(value: Json | undefined, number: number): string | undefined {
  const { kind, version, session } = isObject(value) ? value : ({} as JsonObject)
  if (kind !== 'throughline-export' || typeof version !== 'number' || version < 1) throw notBegun(number)
  if (version <= VERSION) {
    if (session !== undefined && typeof session !== 'string') throw notBegun(number)
    return session
  }
  throw new ValidationError(
    `line ${number}`,
    `starts an export of version ${version}; this version of throughline reads up to ${VERSION}. Update throughline`,
  )
}

function notBegun(number: number): ValidationError {
  return new ValidationError(`line ${number}`, 'is not the first line of an export, {"kind":"throughline-export",…}')
}

function parsed(text: string): Json | SyntaxError {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    return error as SyntaxError
  }
}

function damaged(number: number, what: string): ValidationError {
  return new ValidationError(`line ${number}`, `${what}. ${AGAIN}`)
}

function torn(number: number): ValidationError {
  return new ValidationError(`line ${number}`, `ends before the export is complete. ${AGAIN}`)
}
