const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The 16 bytes of a UUID, as the index stores ids; `undefined` for other ids, which are never in the index. */
export function uuidBytes(id: string): Buffer | undefined {
  return UUID.test(id) ? Buffer.from(id.replaceAll('-', ''), 'hex') : undefined
}

/** The UUID at a position in a string of UUIDs with 32 hex digits each. */
export function uuidFromHex(hex: string, place = 0): string {
  const at = place * 32
  const cut = (from: number, to: number) => hex.slice(at + from, at + to)
  return `${cut(0, 8)}-${cut(8, 12)}-${cut(12, 16)}-${cut(16, 20)}-${cut(20, 32)}`
}
