import type { SessionRecord } from '../../api/types.ts'

/** Sub-agents by the sequence of the event that called them. */
export type SubAgentIndex = ReadonlyMap<number, readonly SessionRecord[]>

export function indexSubAgents(children: readonly SessionRecord[]): SubAgentIndex {
  const index = new Map<number, SessionRecord[]>()
  for (const child of children) {
    const sequence = child.parent?.sequence
    if (sequence === undefined) continue
    const known = index.get(sequence)
    if (known === undefined) index.set(sequence, [child])
    else known.push(child)
  }
  return index
}

/** Sub-agents that events between two sequences called. */
export function countBetween(index: SubAgentIndex, { from, to }: { from: number; to: number }): number {
  let count = 0
  for (const [sequence, children] of index) if (sequence >= from && sequence <= to) count += children.length
  return count
}
