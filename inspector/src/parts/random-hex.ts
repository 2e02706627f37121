/** Random bytes as hexadecimal digits. Not `crypto.randomUUID()`, which a page over plain HTTP from another machine lacks. */
export function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
}
