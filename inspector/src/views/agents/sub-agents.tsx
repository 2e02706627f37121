import { useEffect } from 'preact/hooks'
import type { SessionRecord, UsageSums } from '../../api/types.ts'
import { addSums, NO_USAGE } from '../../domain.ts'
import { countOf, formatCost, formatCount, formatTokens } from '../../parts/amounts.ts'
import { ProblemNote } from '../../parts/notes.tsx'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { useShowMore } from '../../parts/show-more.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Table } from '../../parts/table.tsx'
import { oneLine } from '../../parts/visible.ts'
import { eventHref, sessionHref, sessionsHref } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import css from './sub-agents.module.css'

const COLUMNS = {
  'sub-agent': '',
  'called at': css.wide,
  state: '',
  turns: `number ${css.wide}`,
  events: `number ${css.wide}`,
  'tokens in': 'number',
  'tokens out': 'number',
  cost: 'number',
}
/** Rows before "Show more". */
const FIRST = 50

/** The sessions of the sub-agents, and totals with the session's own. Nothing without any. */
export function SubAgents({ data }: { data: SessionData }) {
  const { children } = data
  useEffect(() => void children.load(), [children])
  const items = children.items.value
  const { shown, more } = useShowMore(items, FIRST)
  const problem = children.problem.value
  if (items.length === 0) return <ProblemNote problem={problem} onRetry={() => void children.load()} />
  const record = data.record.value
  const own = record?.usage?.total ?? NO_USAGE
  const total = items.reduce((sum, child) => addSums(sum, child.usage?.total ?? NO_USAGE), own)
  return (
    <section class="card stack" aria-label="Sub-agents">
      <div class="row between">
        <h2>
          Sub-agents <span class="muted small">{countOf(items.length, 'session')}</span>
        </h2>
        <a class="small" href={sessionsHref({ parent: data.id })}>
          Show in the list
        </a>
      </div>
      <ProblemNote problem={problem} onRetry={() => void children.load()} />
      <ScrollBox label="Sub-agents of this session">
        <Table columns={COLUMNS} foot={total.messages > 0 && <Sums name="Total with this session" usage={total} />}>
          {own.messages > 0 && <Sums name="This session" usage={own} />}
          {shown.map((child) => (
            <Child key={child.id} child={child} parent={data.id} />
          ))}
        </Table>
      </ScrollBox>
      {more}
      {children.hasMore.value && <p class="muted small">Only the last {formatCount(items.length)} are shown.</p>}
    </section>
  )
}

function Child({ child, parent }: { child: SessionRecord; parent: string }) {
  const { id, task, turns, head, parent: link } = child
  return (
    <tr>
      <th scope="row" class={css.task}>
        <a href={sessionHref(id)} dir="auto">
          {task === undefined ? `Untitled session ${id.slice(0, 8)}` : oneLine(task, 100)}
        </a>
      </th>
      <td class={css.wide}>
        {link?.sequence !== undefined && <a href={eventHref(parent, link.sequence)}>#{link.sequence}</a>}
      </td>
      <td>
        <StatusBadge record={child} />
      </td>
      <td class={`number ${css.wide}`}>{formatCount(turns)}</td>
      <td class={`number ${css.wide}`}>{formatCount(head)}</td>
      <Amounts usage={child.usage?.total ?? NO_USAGE} />
    </tr>
  )
}

function Sums({ name, usage }: { name: string; usage: UsageSums }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td />
      <td class={css.wide} colSpan={3} />
      <Amounts usage={usage} />
    </tr>
  )
}

function Amounts({ usage }: { usage: UsageSums }) {
  const isKnown = usage.messages > 0
  return (
    <>
      <td class="number">{isKnown && formatTokens(usage.inputTokens)}</td>
      <td class="number">{isKnown && formatTokens(usage.outputTokens)}</td>
      <td class="number">{usage.costUsd > 0 && formatCost(usage.costUsd)}</td>
    </>
  )
}
