import type { CustomType } from '../../domain/event.ts'
import { customType } from '../draft.ts'

/** Returns the custom type of an entry or block. */
export function claudeType(name: string): CustomType {
  return customType('claude-code', name)
}
