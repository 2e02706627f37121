import type { NewEvent } from '../../ports/session-store.ts'
import { nodeCrypto } from './crypto.ts'

/** What the checksum of an event covers: nothing that differs in a copy, such as ids and sequences. */
export interface CoveredFields extends Pick<NewEvent, 'type' | 'role' | 'content'> {
  readonly parts?: string | undefined
  readonly agentId?: string | undefined
  readonly occurredAt?: string | undefined
}

/** Hex digits of the salt: 96 bits, so that a digest that outlives its salt tells nothing about a short text. */
const SALT = 24
/** Hex digits of the digest: 128 bits of SHA-256, far more than chance can match, and half the space. */
const DIGEST = 32
/** A checksum as stores keep it: the salt, then the digest. */
export const CHECKSUM = new RegExp(`^[0-9a-f]{${SALT + DIGEST}}$`)

/** Salts drawn at once: one draw per event would cost as much as its digest. */
const SALTS = 256
let salts = ''
let used = 0

/** Returns the checksum of a new event, under a salt of its own. */
export function newChecksum(event: CoveredFields): string {
  if (used === salts.length) {
    salts = nodeCrypto()
      .randomBytes((SALTS * SALT) / 2)
      .toString('hex')
    used = 0
  }
  const salt = salts.slice(used, used + SALT)
  used += SALT
  return salt + digestOf(salt, event)
}

/** Whether the event is what it was when its checksum was made. */
export function isIntact(event: CoveredFields, checksum: string): boolean {
  return CHECKSUM.test(checksum) && digestOf(checksum.slice(0, SALT), event) === checksum.slice(SALT)
}

function digestOf(salt: string, { type, role, content, parts, agentId, occurredAt }: CoveredFields): string {
  const covered = `${salt}${sized(type)}${sized(role)}${sized(content)}${sized(parts)}${sized(agentId)}${sized(occurredAt)}`
  return nodeCrypto().hash('sha256', covered, 'hex').slice(0, DIGEST)
}

/** The text behind its length, so that no two events have the same encoding. JSON would escape long texts first. */
function sized(text: string | undefined): string {
  return text === undefined ? '-' : `${text.length}:${text}`
}
