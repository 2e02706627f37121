import type { Branch } from '../../api/types.ts'
import type { Rewind } from '../../session/rewinds.ts'

/** Events that follow each other in the log and on a branch; both ends included. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** An abandoned branch, and those that left it. */
export interface BranchNode {
  readonly branch: Branch
  /** What it shares with no older branch, oldest first. */
  readonly stretches: readonly Stretch[]
  /** The event after which it begins. */
  readonly after: number
  readonly children: readonly BranchNode[]
}

interface Draft extends BranchNode {
  readonly children: BranchNode[]
}

/** The branches as trees, in the order of the events at which they begin. */
export function branchTree(branches: readonly Branch[], rewinds: readonly Rewind[]): BranchNode[] {
  const roots: BranchNode[] = []
  const known: Draft[] = []
  for (const branch of branches.toSorted((a, b) => a.to - b.to)) {
    const { stretches, after } = ownPart(branch, rewinds, known)
    const parent = known.find((one) => holds(one, after))
    const node: Draft = { branch, stretches, after, children: [] }
    known.push(node)
    if (parent === undefined) roots.push(node)
    else parent.children.push(node)
  }
  return roots.toSorted((a, b) => a.after - b.after)
}

/** Goes back from the end of the branch, over rewinds, to an older branch or to the current line. */
function ownPart({ from, to }: Branch, rewinds: readonly Rewind[], known: readonly Draft[]) {
  const stretches: Stretch[] = []
  let at = to
  for (const { sequence, to: target } of rewinds.toReversed()) {
    if (at <= from || known.some((one) => holds(one, at))) break
    // the start of the newest stretch up to there
    if (sequence > at || sequence <= from) continue
    stretches.unshift({ from: sequence, to: at })
    at = target
  }
  if (at > from && !known.some((one) => holds(one, at))) {
    stretches.unshift({ from: from + 1, to: at })
    at = from
  }
  return { stretches, after: at }
}

const holds = ({ stretches }: BranchNode, at: number) => stretches.some(({ from, to }) => at >= from && at <= to)
