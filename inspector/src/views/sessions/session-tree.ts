import type { SessionRecord } from '../../api/types.ts'

/** A row of the list: a session, below its parent if that is listed too. */
export interface TreeRow {
  readonly record: SessionRecord
  /** 0 for a session without a listed parent. */
  readonly depth: number
  readonly isOpen: boolean
  /** Its sub-agents among the loaded sessions. */
  readonly children: number
  /** Those of them, at any depth, that wait for a user. */
  readonly waiting: number
}

/** Depth after which rows are not indented further, and a bound for parents that name each other. */
const DEEPEST = 8

/** Sessions as a tree: sub-agents follow their parent if it is open, and are hidden otherwise. Keeps the order. */
export function treeRows(records: readonly SessionRecord[], open: ReadonlySet<string>): TreeRow[] {
  const listed = new Map(records.map((record) => [record.id, record]))
  const children = new Map<string, SessionRecord[]>()
  const roots: SessionRecord[] = []
  for (const record of records) {
    const parent = isBelow(record, listed) ? record.parent?.sessionId : undefined
    const siblings = parent === undefined ? roots : (children.get(parent) ?? [])
    siblings.push(record)
    if (parent !== undefined) children.set(parent, siblings)
  }
  const rows: TreeRow[] = []
  const waitingBelow = (id: string): number =>
    (children.get(id) ?? []).reduce((sum, child) => sum + (isWaiting(child) ? 1 : 0) + waitingBelow(child.id), 0)
  const add = (record: SessionRecord, depth: number) => {
    const own = children.get(record.id) ?? []
    const isOpen = own.length > 0 && open.has(record.id)
    rows.push({ record, depth, isOpen, children: own.length, waiting: waitingBelow(record.id) })
    // in the order in which they were called
    if (isOpen) for (const child of own.toSorted(byStart)) add(child, depth + 1)
  }
  for (const root of roots) add(root, 0)
  return rows
}

/** Every session as a row of its own. */
export const flatRows = (records: readonly SessionRecord[]): TreeRow[] =>
  records.map((record) => ({ record, depth: 0, isOpen: false, children: 0, waiting: 0 }))

/** Whether its parents are listed up to one that has none. */
function isBelow({ parent }: SessionRecord, listed: ReadonlyMap<string, SessionRecord>): boolean {
  let above = parent === undefined ? undefined : listed.get(parent.sessionId)
  if (above === undefined) return false
  for (let depth = 1; depth < DEEPEST; depth++) {
    if (above?.parent === undefined) return true
    above = listed.get(above.parent.sessionId)
    if (above === undefined) return true
  }
  return false
}

const isWaiting = ({ status }: SessionRecord) => status.state === 'awaiting_user' || status.state === 'pending_complete'

const byStart = (a: SessionRecord, b: SessionRecord) =>
  a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0
