import type { Branch, BranchesQuery } from '../../api.ts'
import { SessionNotFoundError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { itemSize } from '../../domain/list-size.ts'
import { defined } from '../../domain/optional.ts'
import { branchPoint, isHidden, type Rewind, type RewoundParts } from '../../domain/rewind.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { readPages } from '../kernel/history.ts'
import { parse } from '../kernel/parse.ts'
import { branchesQuery } from './schema.ts'

/** A branch whose start is not known yet. */
type Tip = Omit<Branch, 'from'>

/** The abandoned branches, newest first: the ends of lines that were left and are not part of another line. */
export async function branchesOf(deps: Deps, id: string, query: BranchesQuery = {}): Promise<Branch[]> {
  const { before = Number.POSITIVE_INFINITY, limit } = parse(branchesQuery, query)
  const key = keyOf(deps, id)
  const view = await deps.store.load(key)
  if (view === undefined) throw new SessionNotFoundError(id)
  const { hidden, record } = view
  if (hidden === undefined) return []
  const rewinds: Rewind[] = []
  /** Targets of newer rewinds: what ends there went on from there. */
  const targets = new Set<number>()
  const tips: Tip[] = []
  let size = 0
  for await (const page of readPages(deps, key, { types: ['rewound'], before: record.head + 1, order: 'desc' })) {
    for (const { sequence, content, createdAt: at, parts = '{}' } of page) {
      const { to } = JSON.parse(parts) as RewoundParts
      rewinds.push({ sequence, to })
      // nothing came between two rewinds
      if (tips.at(-1)?.to === sequence) tips.pop()
      const end = sequence - 1
      const isLeft = end < before && isHidden(hidden, end) && !targets.has(end)
      targets.add(to)
      if (!isLeft || tips.length === limit || size >= LIMITS.pageSize) continue
      const tip: Tip = defined({ to: end, at, reason: content || undefined })
      tips.push(tip)
      size += itemSize(tip)
    }
  }
  return tips.map((tip) => ({ from: branchPoint(rewinds, hidden, tip.to), ...tip }))
}
