import type { NewEvent } from '../../ports/session-store.ts'
import { nodeCrypto, randomDigits } from './crypto.ts'

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

/**
 * Returns the checksum of an event, under a salt of its own. With `known`, under the salt of that checksum: the result
 * equals it if the event is what it was.
 */
export function checksumOf(event: CoveredFields, known?: string): string {
  const salt = known === undefined ? randomDigits(SALT) : known.slice(0, SALT)
  return salt + digestOf(salt, event)
}

function digestOf(salt: string, { type, role, content, parts, agentId, occurredAt }: CoveredFields): string {
  const covered = `${salt}${sized(type)}${sized(role)}${sized(content)}${sized(parts)}${sized(agentId)}${sized(occurredAt)}`
  return nodeCrypto().hash('sha256', covered, 'hex').slice(0, DIGEST)
}

/** The text behind its length, so that no two events have the same encoding. JSON would escape long texts first. */
function sized(text: string | undefined): string {
  return text === undefined ? '-' : `${text.length}:${text}`
}
