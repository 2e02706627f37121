import type { SessionRecord } from '../../api/types.ts'
import { countOf } from '../../parts/amounts.ts'
import { memo } from '../../parts/memo.tsx'
import { RUN_STATE_NAMES, RunShape } from '../../parts/run-badge.tsx'
import { runState } from '../../parts/run-state.ts'
import { isOver, StatusBadge } from '../../parts/status.tsx'
import { Ago } from '../../parts/time.tsx'
import { ShortUsage } from '../../parts/usage-facts.tsx'
import { oneLine } from '../../parts/visible.ts'
import { sessionHref } from '../../route.ts'
import css from './session-row.module.css'
import table from './session-table.module.css'
import type { TreeRow } from './session-tree.ts'

const numbers = new Intl.NumberFormat('en')

interface Props extends TreeRow {
  readonly index: number
  readonly top: number
  /** Shows or hides its sub-agents. */
  readonly onToggle: (id: string) => void
}

/** One session in the list. The link in it covers the whole row. */
export const SessionRow = memo(({ record, depth, children, waiting, isOpen, index, top, onToggle }: Props) => {
  const { id, task, activeAgent, userId, chatmode, turns, head, lastActivityAt } = record
  const usage = record.usage?.total
  return (
    // row 1 is the headings
    <tr
      class={css.row}
      data-index={index}
      data-depth={depth}
      aria-rowindex={index + 2}
      style={{ top: `${top}px`, '--depth': depth }}
    >
      <td class={css.status}>
        <StatusBadge record={record} />
        <RunMark record={record} />
      </td>
      <td class={css.task}>
        {children > 0 && (
          <button
            type="button"
            class={css.children}
            aria-expanded={isOpen}
            aria-label={`${countOf(children, 'sub-agent')} of ${task === undefined ? 'untitled session' : oneLine(task, 60)}`}
            onClick={() => onToggle(id)}
          >
            {children}
            {waiting > 0 && <b title={`${countOf(waiting, 'sub-agent')} waiting for the user`}>!</b>}
          </button>
        )}
        <a class={css.link} href={sessionHref(id)} dir="auto">
          {task === undefined ? `Untitled session ${id.slice(0, 8)}` : oneLine(task)}
        </a>
        <Subtitle record={record} />
      </td>
      <td class={css.agent} dir="auto">
        {oneLine(activeAgent, 60)}
      </td>
      <td class={css.user} dir="auto">
        {oneLine(userId, 60)}
      </td>
      <td class={css.chatmode} dir="auto">
        {oneLine(chatmode, 60)}
      </td>
      <td class={css.turns}>
        {numbers.format(turns)}
        <span class={css.unit}> {turns === 1 ? 'turn' : 'turns'}</span>
      </td>
      <td class={css.events}>{numbers.format(head)}</td>
      <td class={`${css.usage} ${table.usage}`}>{usage !== undefined && <ShortUsage usage={usage} />}</td>
      <td class={css.activity}>
        <Ago at={lastActivityAt} />
      </td>
    </tr>
  )
})

/** The worker of the live run. */
function RunMark({ record }: { record: SessionRecord }) {
  const { run } = record
  if (run === undefined || isOver(record)) return null
  const state = runState(run)
  const name = run.worker === undefined ? `run ${numbers.format(run.generation)}` : oneLine(run.worker, 60)
  return (
    <span class={css.run} data-run={state} title={`Run ${numbers.format(run.generation)}: ${RUN_STATE_NAMES[state]}`}>
      <RunShape state={state} /> <span class="hidden">{RUN_STATE_NAMES[state]} run: </span>
      <bdi>{name}</bdi>
    </span>
  )
}

/** What the session waits for, why it ended, or where it belongs. */
function Subtitle({ record }: { record: SessionRecord }) {
  const { status, conversationId, gitBranch, workflow } = record
  switch (status.state) {
    case 'awaiting_user':
      return (
        <span class={css.below} data-state={status.state}>
          <b>
            asked <Ago at={status.askedAt} />:
          </b>{' '}
          <bdi>{oneLine(status.question)}</bdi>
        </span>
      )
    case 'interrupted':
      return <StatusText state={status.state} what="interrupted" text={status.userMessage} />
    case 'pending_complete':
      return <StatusText state={status.state} what="proposed" text={status.summary} />
    case 'aborted':
      return <StatusText state={status.state} what="aborted" text={status.reason} />
    case 'running':
    case 'complete':
      return (
        <span class={css.below}>
          <bdi>
            {[gitBranch ?? workflow, conversationId]
              .flatMap((part) => part ?? [])
              .map((part) => oneLine(part, 60))
              .join(' · ')}
          </bdi>
        </span>
      )
  }
}

function StatusText({ state, what, text }: { state: string; what: string; text: string }) {
  return (
    <span class={css.below} data-state={state}>
      <b>{what}:</b> <bdi>{oneLine(text)}</bdi>
    </span>
  )
}
