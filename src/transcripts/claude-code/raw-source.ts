import type { JsonObject } from '../../domain/json.ts'

/** Bytes of one piece: escaped, each of them may take six characters. */
export const PIECE_BYTES = 512 * 1024

/**
 * The bytes of a line in pieces that every store can give back, in whatever form it takes: `text` as it stands, `escaped` as a JSON string (for
 * NUL), or `base64` (for what is not UTF-8).
 */
export function* encodePieces(bytes: Uint8Array, size = PIECE_BYTES): Generator<JsonObject> {
  for (let start = 0; start < bytes.length; ) {
    const end = start + wholeCharacters(bytes.subarray(start), size)
    yield encodePiece(bytes.subarray(start, end))
    start = end
  }
}

/** How many of the first `size` bytes to take so that no character is cut in two. */
export function wholeCharacters(bytes: Uint8Array, size: number): number {
  if (bytes.length <= size) return bytes.length
  for (let end = size; end > size - 4; end--) if (((bytes[end] ?? 0) & 0xc0) !== 0x80) return end
  return size
}

/** One piece. */
export function encodePiece(bytes: Uint8Array): JsonObject {
  const text = decodeUtf8(bytes)
  if (text === undefined) return { base64: Buffer.from(bytes).toString('base64') }
  return text.includes('\0') ? { escaped: JSON.stringify(text) } : { text }
}

/** The text of bytes; `undefined` if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
