import type { Throughline } from '../../api.ts'
import type { SessionRecord, SessionState } from '../../domain/record.ts'
import { type Branch, renderTree } from '../memory/lineage-tree.ts'
import { pluralize, sanitizeLine } from '../text.ts'

/** Sessions that a tree shows at most. */
const MAX_SHOWN = 200

/** A child session with those below it. */
export interface ChildNode {
  id: string
  state: SessionState
  turns: number
  head: number
  task?: string
  /** Sequence of the event in its parent that called for it. */
  sequence?: number
  children?: ChildNode[]
}

/** Reads the sessions below one, the oldest of each parent first. */
export async function readChildren(tl: Throughline, parent: SessionRecord): Promise<ChildNode[]> {
  // an import may name parents in a circle
  const seen = new Set([parent.id])
  const below = async ({ id, tenant, userId }: SessionRecord): Promise<ChildNode[]> => {
    const { items } = await tl.sessions.list({ parent: id, tenant, userId, limit: MAX_SHOWN })
    const nodes: ChildNode[] = []
    for (const record of items.toReversed()) {
      if (seen.has(record.id) || seen.size > MAX_SHOWN) continue
      seen.add(record.id)
      nodes.push(nodeOf(record, await below(record)))
    }
    return nodes
  }
  return await below(parent)
}

function nodeOf({ id, status, turns, head, task, parent }: SessionRecord, children: ChildNode[]): ChildNode {
  const { sequence } = parent ?? {}
  return {
    id,
    state: status.state,
    turns,
    head,
    ...(task !== undefined && { task }),
    ...(sequence !== undefined && { sequence }),
    ...(children.length > 0 && { children }),
  }
}

/** Formats child sessions as a tree. */
export function formatChildren(children: readonly ChildNode[]): string {
  return ['sub-agents', ...renderTree(children.map(branchOf))].join('\n')
}

function branchOf({ id, state, turns, head, task, sequence, children = [] }: ChildNode): Branch {
  const facts = [state, pluralize(turns, 'turn'), pluralize(head, 'event')]
  if (sequence !== undefined) facts.push(`called by event ${sequence}`)
  const text = `${id} ${facts.join(', ')}${task === undefined ? '' : `: ${sanitizeLine(task)}`}`
  return { text, children: children.map(branchOf) }
}
