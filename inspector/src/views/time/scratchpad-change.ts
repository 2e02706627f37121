import type { Json } from '../../api/types.ts'

/** What an event did to the scratchpad: the operation, and what it brought. */
export interface ScratchpadChange {
  readonly op: string
  readonly patch: Json | undefined
}

/** The change of the scratchpad in an event. Parts of any shape are shown as they are. */
export function describeChange(type: string, parts: Json | undefined): ScratchpadChange {
  const given = (typeof parts === 'object' && parts !== null ? parts : {}) as Readonly<Record<string, Json>>
  const { op, key, by, patch, value, context } = given
  if (type === 'handoff_taken') return { op: 'handoff taken', patch: context }
  if (type === 'agent_transition') return { op: 'handoff', patch: context }
  if (op === 'merge') return { op, patch }
  if (op === 'replace') return { op, patch: value }
  if (op === 'add' && typeof key === 'string') return { op, patch: { [key]: value ?? null } }
  if (op === 'increment' && typeof key === 'string') return { op, patch: { [key]: by ?? 1 } }
  return { op: 'change', patch: parts }
}
