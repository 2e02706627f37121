import type { Json } from '../../api/types.ts'

/** A change of the scratchpad: the operation and its data. */
export interface ScratchpadChange {
  readonly op: string
  readonly patch: Json | undefined
}

/** Describes the scratchpad change in an event. Unknown parts are shown as they are. */
export function describeChange(type: string, parts: Json | undefined): ScratchpadChange {
  const fields = (typeof parts === 'object' && parts !== null ? parts : {}) as Readonly<Record<string, Json>>
  const { op, key, by, patch, value, context } = fields
  if (type === 'handoff_taken') return { op: 'handoff taken', patch: context }
  if (type === 'agent_transition') return { op: 'handoff', patch: context }
  if (op === 'merge') return { op, patch }
  if (op === 'replace') return { op, patch: value }
  if (op === 'add' && typeof key === 'string') return { op, patch: { [key]: value ?? null } }
  if (op === 'increment' && typeof key === 'string') return { op, patch: { [key]: by ?? 1 } }
  return { op: 'change', patch: parts }
}
