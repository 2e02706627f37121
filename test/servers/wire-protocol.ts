/** A prepared statement as the client sent it. */
export interface ParsedStatement {
  name: string
  text: string
  message: Buffer
}

/** Splits the bytes of a connection into messages, without copying those that arrive in one chunk. */
export class MessageReader {
  /** Bytes before the length of a message: none in the first messages of a client, later one that tells its kind. */
  prefix: 0 | 1
  #chunks: Buffer[] = []
  #size = 0
  /** The size at which the next message may be complete. */
  #needed = 0

  constructor(prefix: 0 | 1) {
    this.prefix = prefix
  }

  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size < this.#needed) return
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    for (;;) {
      const header = this.prefix + 4
      this.#needed = rest.length < header ? header : this.prefix + rest.readUInt32BE(this.prefix)
      if (rest.length < this.#needed) break
      const message = rest.subarray(0, this.#needed)
      rest = rest.subarray(this.#needed)
      yield message
    }
    this.#chunks = [rest]
    this.#size = rest.length
  }
}

/** The letter of the protocol, such as `Q` for a simple query. */
export function kindOf(message: Buffer): string {
  return String.fromCharCode(message.readUInt8(0))
}

/** The version of a startup message, or the code of another request in its place. */
export function startupCode(message: Buffer): number {
  return message.readInt32BE(4)
}

/** The same startup message for another database. */
export function withDatabase(startup: Buffer, database: string): Buffer {
  const fields = startup.toString('utf8', 8).split('\0')
  const parameters = new Map<string, string>()
  for (let i = 0; fields[i] !== undefined && fields[i] !== ''; i += 2) {
    parameters.set(fields[i] ?? '', fields[i + 1] ?? '')
  }
  parameters.set('database', database)
  const body = Buffer.from(`${[...parameters].flat().join('\0')}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + body.length)
  head.writeInt32BE(startupCode(startup), 4)
  return Buffer.concat([head, body])
}

/** Text of a simple query. */
export function queryText(message: Buffer): string {
  return textAt(message, 5)
}

export function readParse(message: Buffer): ParsedStatement {
  const name = textAt(message, 5)
  // a copy, because the message is part of a larger chunk
  return { name, text: textAt(message, endOfText(message, 5)), message: Buffer.from(message) }
}

/** Name of the statement that a Parse, Bind, Describe or Close names; `undefined` for portals and other messages. */
export function statementName(message: Buffer): string | undefined {
  switch (kindOf(message)) {
    case 'P':
      return textAt(message, 5)
    case 'B':
      return textAt(message, endOfText(message, 5))
    case 'C':
    case 'D':
      return message.toString('latin1', 5, 6) === 'S' ? textAt(message, 6) : undefined
    default:
      return undefined
  }
}

/** The first parameter of a Bind if it is an integer, as text or as a binary int2 or int4. */
export function firstInteger(bind: Buffer): number | undefined {
  const formats = endOfText(bind, endOfText(bind, 5))
  const count = bind.readInt16BE(formats)
  const isBinary = count > 0 && bind.readInt16BE(formats + 2) === 1
  const values = formats + 2 + 2 * count
  if (bind.readInt16BE(values) === 0) return undefined
  const length = bind.readInt32BE(values + 2)
  // null has the length -1
  const value = bind.subarray(values + 6, values + 6 + Math.max(length, 0))
  if (isBinary) return length === 2 || length === 4 ? value.readIntBE(0, length) : undefined
  const text = value.toString()
  return /^-?\d{1,9}$/.test(text) ? Number(text) : undefined
}

export function closeStatement(name: string): Buffer {
  return message('C', `S${name}\0`)
}

export function errorResponse(severity: 'ERROR' | 'FATAL', code: string, text: string): Buffer {
  return message('E', `S${severity}\0V${severity}\0C${code}\0M${text}\0\0`)
}

/** Says that no transaction is open. */
export const READY_FOR_QUERY = message('Z', 'I')

function message(kind: string, body: string): Buffer {
  const bytes = Buffer.from(`${kind}\0\0\0\0${body}`)
  bytes.writeInt32BE(bytes.length - 1, 1)
  return bytes
}

/** Reads the text that starts here and ends with a zero byte. */
function textAt(bytes: Buffer, start: number): string {
  return bytes.toString('utf8', start, endOfText(bytes, start) - 1)
}

function endOfText(bytes: Buffer, start: number): number {
  return bytes.indexOf(0, start) + 1
}
