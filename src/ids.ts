import { randomDigits } from './features/kernel/crypto.ts'

/** The two bits of the variant, followed by two random ones. */
const VARIANT = '89ab'

let time = -1
/** The ids of one millisecond begin alike: the text up to the random bits. */
let prefix = ''

/** Creates a UUIDv7 (RFC 9562): 48 bits of time, then random bits, so later ids sort later. */
export function uuid7(now = Date.now()): string {
  if (now !== time) {
    const digits = now.toString(16).padStart(12, '0')
    prefix = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
    time = now
  }
  const random = randomDigits(19)
  const variant = VARIANT[Number.parseInt(random[3] as string, 16) & 3] as string
  return `${prefix}${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7)}`
}
