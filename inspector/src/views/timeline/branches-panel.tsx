import { useMemo, useState } from 'preact/hooks'
import { get, getEvents, sessionPath } from '../../api/client.ts'
import type { Branch, SessionEvent } from '../../api/types.ts'
import { LIMITS } from '../../domain.ts'
import { formatCount } from '../../parts/amounts.ts'
import { Loading, ProblemNote } from '../../parts/notes.tsx'
import { useShowMore } from '../../parts/show-more.tsx'
import { Ago } from '../../parts/time.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { preview } from '../../parts/visible.ts'
import { eventHref } from '../../route.ts'
import type { Rewind } from '../../session/rewinds.ts'
import { type BranchNode, branchTree } from './branch-tree.ts'
import css from './branches-panel.module.css'

/** Branches that are listed at first: each reads its first message. */
const FIRST = 20

interface Props {
  /** Id of the session. */
  readonly id: string
  /** The last rewinds, oldest first. */
  readonly rewinds: readonly Rewind[]
}

/** The abandoned branches as a tree. Each leads to its events. */
export function BranchesPanel({ id, rewinds }: Props) {
  const { value, problem, isLoading, reload } = useRequest(
    (signal) => get<{ items: Branch[] }>(sessionPath(id, '/branches'), { limit: LIMITS.page }, signal),
    [id, rewinds.at(-1)?.sequence],
  )
  const branches = value?.items ?? []
  const [isOpen, setOpen] = useState(false)
  const nodes = useMemo(() => branchTree(value?.items ?? [], rewinds), [value, rewinds])
  return (
    <details class={css.panel} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {value === undefined
          ? 'Branches'
          : `${formatCount(branches.length)} ${branches.length === 1 ? 'branch' : 'branches'}`}
      </summary>
      <p class="muted small">What rewinds left. The current line goes on in the timeline.</p>
      <ProblemNote problem={problem} onRetry={reload} />
      {isLoading && value === undefined && <Loading />}
      {isOpen && <Nodes id={id} nodes={nodes} />}
    </details>
  )
}

function Nodes({ id, nodes }: { id: string; nodes: readonly BranchNode[] }) {
  const { shown, more } = useShowMore(nodes, FIRST)
  if (nodes.length === 0) return null
  return (
    <>
      <ul class={css.nodes}>
        {shown.map((node) => (
          <Node key={node.branch.to} id={id} node={node} />
        ))}
      </ul>
      {more}
    </>
  )
}

function Node({ id, node: { branch, stretches, after, children } }: { id: string; node: BranchNode }) {
  const first = useRequest((signal) => firstMessage(id, stretches, signal), [id, branch.to])
  const start = stretches[0]?.from ?? branch.to
  const text = first.value === undefined ? `Event ${start}` : preview(first.value.content, 120)
  return (
    <li>
      <a href={eventHref(id, first.value?.sequence ?? start)} dir="auto">
        {text}
      </a>
      <span class="muted small">
        {' '}
        after event #{after.toLocaleString('en')}, to #{branch.to.toLocaleString('en')}; left <Ago at={branch.at} />
        {branch.reason !== undefined && (
          <>
            : <bdi>{preview(branch.reason, 200)}</bdi>
          </>
        )}
      </span>
      <Nodes id={id} nodes={children} />
    </li>
  )
}

/** The first message that only this branch has. */
async function firstMessage(
  id: string,
  stretches: BranchNode['stretches'],
  signal: AbortSignal,
): Promise<SessionEvent | undefined> {
  for (const { from, to } of stretches) {
    const query = { types: ['user_message', 'model_message'], after: from - 1, before: to + 1, order: 'asc', limit: 1 }
    const [found] = await getEvents(id, query, signal)
    if (found !== undefined) return found
  }
  return undefined
}
