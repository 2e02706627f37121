import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { TooLargeError, ValidationError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { nextTurn } from '../features/kernel/next-turn.ts'
import type { Visit } from './admission.ts'

/** The body arrives more slowly than the server waits for it. */
export class SlowBodyError extends ValidationError {
  constructor(bytesPerSecond: number) {
    super('body', `arrived too slowly: send at least ${bytesPerSecond} bytes per second, or smaller bodies`)
  }
}

/** What the bodies of requests must keep to. */
export interface BodyLimits {
  readonly body: number
  readonly bodyBytesPerSecond: number
  readonly requestTimeoutMs: number
}

/** Reads the body of a request up to the limit; `undefined` if it is empty. */
export function readBody(stream: IncomingMessage, limits: BodyLimits, visit: Visit, done: Done): void {
  const limit = limits.body
  const announced = Number(stream.headers['content-length'] ?? 0)
  if (announced > limit) {
    done(new TooLargeError({ field: 'body', limit, actual: announced }))
    return
  }
  const chunks: Buffer[] = []
  let size = 0
  const endWatch = watchRate(
    limits,
    () => size,
    () => end(new SlowBodyError(limits.bodyBytesPerSecond)),
  )
  const end = (error: Error | null, body?: unknown) => {
    endWatch()
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
    endWatch()
    const turn = visit.turn()
    if (turn === undefined) use()
    else void turn.then(use)
  }
  const use = () => {
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    if (size > LARGE) {
      void parsedInTurns(body).then((value) => end(null, value), end)
      return
    }
    let value: unknown
    try {
      check(body)
      value = parsed(body)
    } catch (error) {
      end(error as Error)
      return
    }
    end(null, value)
  }
  stream.on('data', take).on('end', finish).on('error', gone)
}

/** Milliseconds over which the rate of a body is measured; less if a request has little time to arrive. */
const MEASURED_MS = 10_000

/** Calls `onSlow` when too few bytes arrived in a while. @returns ends the watch */
function watchRate(
  { bodyBytesPerSecond, requestTimeoutMs }: BodyLimits,
  size: () => number,
  onSlow: () => void,
): () => void {
  const ms = Math.min(MEASURED_MS, requestTimeoutMs / 4)
  let before = 0
  let pending: NodeJS.Immediate | undefined
  const check = () => {
    const arrived = size() - before
    before = size()
    if (arrived < (bodyBytesPerSecond * ms) / 1000) onSlow()
  }
  // after the bytes that arrived while the event loop was busy
  const timer = setInterval(() => {
    pending = setImmediate(check)
  }, ms)
  return () => {
    clearInterval(timer)
    clearImmediate(pending)
  }
}

type Done = (error: Error | null, body?: unknown) => void

/** Bytes that may take 10 ms to check and parse: up to 20,000 different names. */
const LARGE = 256 * 1024

/** Checking a large body is one piece of work, parsing it another, and using it a third. */
async function parsedInTurns(body: Buffer): Promise<unknown> {
  check(body)
  await nextTurn()
  const value = parsed(body)
  await nextTurn()
  return value
}

function check(body: Buffer): void {
  if (!isUtf8(body)) throw new ValidationError('body', 'must be UTF-8')
  if (body.length > HARMLESS) checkShape(body)
}

/** Keys such as `__proto__` become plain keys, which the operations refuse by name. */
function parsed(body: Buffer): unknown {
  if (body.length === 0) return undefined
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
/** Lists, objects and commas in one body. */
const MOST_VALUES = 1_000_000
/** Different names of members in one body: those of one value of the largest kind, and ours around it. */
const MOST_NAMES = LIMITS.members + 10_000

/**
 * Counts before parsing: 16 MB of nothing but brackets would block the event loop for seconds, and so would 25 MB of
 * different names.
 */
function checkShape(body: Buffer): void {
  const names = nameCounter(body)
  let depth = 0
  let count = 0
  let start = 0
  let end = 0
  let quoted = false
  const addValue = () => {
    if (++count > MOST_VALUES) throw new TooLargeError({ field: 'body', limit: MOST_VALUES, actual: count })
  }
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]
    if (quoted) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) {
        quoted = false
        end = i
      }
    } else if (byte === QUOTE) {
      quoted = true
      start = i
    } else if (byte === COLON) {
      names.add(start, end)
      // without a name in between, another colon reads nothing
      start = end
    } else if (byte === COMMA) addValue()
    else if (byte === OPENING_LIST || byte === OPENING_OBJECT) {
      addValue()
      if (++depth > DEEPEST) throw new ValidationError('body', `nests deeper than ${LIMITS.depth} levels`)
    } else if (byte === CLOSING_LIST || byte === CLOSING_OBJECT) depth--
  }
}

/** The start of every hash: nobody can choose names that collide. */
const SEED = crypto.getRandomValues(new Int32Array(1))[0] ?? 0
/** Hashes of names are cut to this many values, so that about one in twenty of {@link MOST_NAMES} is missed. */
const HASHES = 2 ** 19

/** Counts different names by their hashes: repeated ones cost a parser little. */
function nameCounter(body: Buffer) {
  const seen = new Uint8Array(HASHES)
  let count = 0
  return {
    add(start: number, end: number): void {
      let hash = SEED
      for (let i = start; i < end; i++) hash = Math.imul(hash ^ (body[i] ?? 0), 0x01000193)
      const place = (hash ^ (hash >>> 15)) >>> 13
      if (seen[place] === 1) return
      seen[place] = 1
      if (++count > MOST_NAMES) throw new TooLargeError({ field: 'body', limit: MOST_NAMES, actual: count })
    },
  }
}

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c]
const [OPENING_LIST, CLOSING_LIST, OPENING_OBJECT, CLOSING_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
