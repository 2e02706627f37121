import { nodeCrypto } from './features/kernel/crypto.ts'

const POOL = 4096
const pool = new Uint8Array(POOL)
let used = POOL

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * Creates a UUIDv7 (RFC 9562): 48 bits of time, then random bits, so later ids sort later. Random bytes come from a
 * pool: one draw per id cost more than the rest of an in-memory append.
 */
export function uuid7(now = Date.now()): string {
  if (used + 10 > POOL) {
    nodeCrypto().randomFillSync(pool)
    used = 0
  }
  const time = now.toString(16).padStart(12, '0')
  const random = (i: number) => pool[used + i] as number
  const hex = (byte: number) => HEX[byte] as string
  const versionAndA = hex(0x70 | (random(0) & 0x0f)) + hex(random(1))
  const variantAndB = hex(0x80 | (random(2) & 0x3f)) + hex(random(3))
  let node = ''
  for (let i = 4; i < 10; i++) node += hex(random(i))
  used += 10
  return `${time.slice(0, 8)}-${time.slice(8)}-${versionAndA}-${variantAndB}-${node}`
}
