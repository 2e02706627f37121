import { findReservedKey } from '../../domain/envelope.ts'
import { ValidationError } from '../../domain/errors.ts'
import { encodeJson, type JsonObject } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Deps } from '../kernel/deps.ts'

/** Refuses and counts metadata that a client may not set. */
export function checkMetadata({ metrics }: Deps, metadata: JsonObject, field = 'metadata'): void {
  try {
    encodeJson(metadata, field, LIMITS.metadata)
  } catch (error) {
    metrics.invalid('invalid_metadata')
    throw error
  }
  const key = findReservedKey(metadata)
  if (key === undefined) return
  metrics.invalid('reserved_key')
  throw new ValidationError(`${field}.${key}`, 'is a field of the envelope itself; use another key')
}
