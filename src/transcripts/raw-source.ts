import type { JsonObject } from '../domain/json.ts'

/** Bytes per piece; escaped, each byte may take six characters. */
export const PIECE_BYTES = 512 * 1024

/**
 * Encodes the bytes of a line in pieces that every store can keep: `text`, `escaped` as a JSON string (for NUL), or
 * `base64` (for what is not UTF-8).
 */
export function* encodePieces(bytes: Uint8Array, size = PIECE_BYTES): Generator<JsonObject> {
  for (let start = 0; start < bytes.length; ) {
    const end = start + wholeCharacters(bytes.subarray(start), size)
    yield encodePiece(bytes.subarray(start, end))
    start = end
  }
}

/** Returns how many of the first `size` bytes to take without splitting a character. */
export function wholeCharacters(bytes: Uint8Array, size: number): number {
  if (bytes.length <= size) return bytes.length
  for (let end = size; end > size - 4; end--) if (((bytes[end] ?? 0) & 0xc0) !== 0x80) return end
  return size
}

/** Encodes one piece. */
export function encodePiece(bytes: Uint8Array): JsonObject {
  const text = decodeUtf8(bytes)
  if (text === undefined) return { base64: Buffer.from(bytes).toString('base64') }
  return text.includes('\0') ? { escaped: JSON.stringify(text) } : { text }
}

/** Decodes UTF-8; `undefined` if it is invalid. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
