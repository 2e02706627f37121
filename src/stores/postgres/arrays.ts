/** Types of elements, each with the number by which the server knows it. */
const OIDS = { uuid: 2950, text: 25, json: 114, integer: 23, timestamptz: 1184 } as const

export type ElementType = keyof typeof OIDS

type Element = string | number | null

/** The server counts microseconds from the first moment of 2000. */
const EPOCH = Date.UTC(2000, 0, 1)

/** Bytes before the elements: dimensions, whether there are nulls, the type, and for the one dimension its length and where it begins. */
const HEADER = 20

/**
 * A list in the server's binary form. As text each element would be quoted here and taken apart again there, letter by
 * letter: for 32 messages of 500 bytes that is a quarter of the work on this side and a seventh on the other.
 */
export function binaryArray(type: ElementType, list: readonly Element[]): Buffer {
  let size = HEADER
  for (const element of list) size += 4 + sizeOf(type, element)
  const buffer = Buffer.allocUnsafe(size)
  // an array without elements has no dimension
  buffer.writeInt32BE(list.length === 0 ? 0 : 1, 0)
  buffer.writeInt32BE(list.includes(null) ? 1 : 0, 4)
  buffer.writeInt32BE(OIDS[type], 8)
  if (list.length === 0) return buffer.subarray(0, 12)
  buffer.writeInt32BE(list.length, 12)
  buffer.writeInt32BE(1, 16)
  let at = HEADER
  for (const element of list) {
    const length = element === null ? -1 : write(type, element, buffer, at + 4)
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
    case 'integer':
      return 4
    case 'timestamptz':
      return 8
    case 'text':
    case 'json':
      return Buffer.byteLength(`${element}`)
  }
}

/** Gives how many bytes it took. */
function write(type: ElementType, element: string | number, buffer: Buffer, at: number): number {
  switch (type) {
    case 'uuid':
      return buffer.write(`${element}`.replaceAll('-', ''), at, 16, 'hex')
    case 'integer':
      return buffer.writeInt32BE(Number(element), at) - at
    case 'timestamptz':
      return buffer.writeBigInt64BE(BigInt(Date.parse(`${element}`) - EPOCH) * 1000n, at) - at
    case 'text':
    case 'json':
      return buffer.write(`${element}`, at)
  }
}

/** A list as text, for elements that are texts, numbers, truth values or bytes. */
export function arrayText(list: readonly unknown[]): string {
  return `{${list.map(elementText).join(',')}}`
}

function elementText(element: unknown): string {
  if (element === null || element === undefined) return 'NULL'
  const text = element instanceof Uint8Array ? `\\x${toBuffer(element).toString('hex')}` : `${element}`
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** The same bytes as the driver takes them. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
