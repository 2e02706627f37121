import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { TooLargeError, ValidationError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Visit } from './admission.ts'

/** Reads the body of a request up to the limit; `undefined` if it is empty. */
export function readBody(stream: IncomingMessage, limit: number, visit: Visit, done: Done): void {
  const announced = Number(stream.headers['content-length'] ?? 0)
  if (announced > limit) {
    done(new TooLargeError({ field: 'body', limit, actual: announced }))
    return
  }
  const chunks: Buffer[] = []
  let size = 0
  const end = (error: Error | null, body?: unknown) => {
    stream.off('data', take).off('end', finish).off('error', gone)
    done(error, body)
  }
  const gone = (cause: Error) => end(new ValidationError('body', 'ended before it was complete', { cause }))
  const take = (chunk: Buffer) => {
    size += chunk.length
    try {
      if (size > limit) throw new TooLargeError({ field: 'body', limit, actual: size })
      visit.carry(chunk.length)
      chunks.push(chunk)
    } catch (error) {
      end(error as Error)
    }
  }
  const finish = () => {
    let body: unknown
    try {
      body = parsed(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    } catch (error) {
      end(error as Error)
      return
    }
    // parsing a large body is one piece of work, and using it another
    if (size > LARGE) setImmediate(end, null, body)
    else end(null, body)
  }
  stream.on('data', take).on('end', finish).on('error', gone)
}

type Done = (error: Error | null, body?: unknown) => void

/** Bytes that may take 10 ms to parse. */
const LARGE = 1024 * 1024

/** Keys such as `__proto__` become plain keys, which the operations refuse by name. */
function parsed(body: Buffer): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw new ValidationError('body', 'must be UTF-8')
  if (body.length > HARMLESS) checkShape(body)
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (cause) {
    throw new ValidationError('body', 'must be JSON', { cause })
  }
}

/** Bytes that always parse quickly, whatever they contain. */
const HARMLESS = 64 * 1024
/** Nesting levels: the limit for callers' values, plus the few levels around them. */
const DEEPEST = LIMITS.depth + 8
/** Lists and objects in one body. */
const MOST = 1_000_000

/** Counts brackets before parsing: 16 MB of nothing but brackets would block the event loop for seconds. */
function checkShape(body: Buffer): void {
  let depth = 0
  let count = 0
  let quoted = false
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]
    if (quoted) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) quoted = false
    } else if (byte === QUOTE) quoted = true
    else if (byte === OPENING_LIST || byte === OPENING_OBJECT) {
      count++
      if (++depth > DEEPEST) throw new ValidationError('body', `nests deeper than ${LIMITS.depth} levels`)
      if (count > MOST) throw new TooLargeError({ field: 'body', limit: MOST, actual: count })
    } else if (byte === CLOSING_LIST || byte === CLOSING_OBJECT) depth--
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPENING_LIST, CLOSING_LIST, OPENING_OBJECT, CLOSING_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
