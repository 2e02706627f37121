/** Element types with their OIDs. Elements of bytea are text: `\x`, then hex digits. */
const OIDS = { uuid: 2950, text: 25, json: 114, bytea: 17, smallint: 21, integer: 23, timestamptz: 1184 } as const

export type ElementType = keyof typeof OIDS

type Element = string | number | null

/** The server counts microseconds from the start of 2000. */
const EPOCH = Date.UTC(2000, 0, 1)

/** Bytes before the elements: number of dimensions, null flag, element type, length and lower bound. */
const HEADER = 20

/**
 * Encodes a list in the server's binary format. Text format quotes and parses every character: for 32 messages of 500
 * bytes that was a quarter of the work of the client and a seventh of the server's.
 */
export function binaryArray(type: ElementType, list: readonly Element[]): Buffer {
  let size = HEADER
  for (const element of list) size += 4 + sizeOf(type, element)
  const buffer = Buffer.allocUnsafe(size)
  // an empty array has no dimension
  buffer.writeInt32BE(list.length === 0 ? 0 : 1, 0)
  buffer.writeInt32BE(list.includes(null) ? 1 : 0, 4)
  buffer.writeInt32BE(OIDS[type], 8)
  if (list.length === 0) return buffer.subarray(0, 12)
  buffer.writeInt32BE(list.length, 12)
  buffer.writeInt32BE(1, 16)
  let at = HEADER
  for (const element of list) {
    const length = element === null ? -1 : writeElement(type, element, buffer, at + 4)
    buffer.writeInt32BE(length, at)
    at += 4 + Math.max(length, 0)
  }
  return buffer
}

function sizeOf(type: ElementType, element: Element): number {
  if (element === null) return 0
  switch (type) {
    case 'uuid':
      return 16
    case 'smallint':
      return 2
    case 'integer':
      return 4
    case 'timestamptz':
      return 8
    case 'bytea':
      return `${element}`.length / 2 - 1
    case 'text':
    case 'json':
      return Buffer.byteLength(`${element}`)
  }
}

/** Returns the number of bytes written. */
function writeElement(type: ElementType, element: string | number, buffer: Buffer, at: number): number {
  switch (type) {
    case 'uuid':
      return buffer.write(`${element}`.replaceAll('-', ''), at, 16, 'hex')
    case 'smallint':
      return buffer.writeInt16BE(Number(element), at) - at
    case 'integer':
      return buffer.writeInt32BE(Number(element), at) - at
    case 'timestamptz':
      return buffer.writeBigInt64BE(BigInt(Date.parse(`${element}`) - EPOCH) * 1000n, at) - at
    case 'bytea':
      return buffer.write(`${element}`.slice(2), at, 'hex')
    case 'text':
    case 'json':
      return buffer.write(`${element}`, at)
  }
}

/** Encodes a list of strings, numbers, booleans or bytes in text format. */
export function arrayText(list: readonly unknown[]): string {
  return `{${list.map(elementText).join(',')}}`
}

function elementText(element: unknown): string {
  if (element === null || element === undefined) return 'NULL'
  const text = element instanceof Uint8Array ? `\\x${toBuffer(element).toString('hex')}` : `${element}`
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** The same bytes as a `Buffer`, which the driver requires. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
