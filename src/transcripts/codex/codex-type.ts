import type { CustomType } from '../../domain/event.ts'
import { customType } from '../draft.ts'

/** Returns the custom type of an entry, item or block. */
export function codexType(name: string): CustomType {
  return customType('codex', name)
}
