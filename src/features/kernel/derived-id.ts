import { nodeCrypto } from './crypto.ts'

/**
 * A UUIDv8 (RFC 9562) derived from words: the same words give the same id. Anyone who guesses the words knows the id:
 * if nobody may, the first word must be the store's secret.
 */
export function derivedId(...words: readonly string[]): string {
  const hex = nodeCrypto().hash('sha256', JSON.stringify(words), 'hex')
  const variant = (0x8 | (Number.parseInt(hex.charAt(16), 16) & 0x3)).toString(16)
  const [a, b, c, d, e] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16), hex.slice(17, 20), hex.slice(20, 32)]
  return `${a}-${b}-8${c}-${variant}${d}-${e}`
}

/** Whether a UUID may have been derived from words. */
export function isDerivedId(id: string): boolean {
  return /^.{14}8.{4}[89ab]/i.test(id)
}
