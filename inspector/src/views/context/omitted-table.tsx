import type { ContextResult } from '../../api/types.ts'
import { Table } from '../../parts/table.tsx'
import { oneLine } from '../../parts/visible.ts'
import css from './context.module.css'
import { describeOmitted } from './omitted.ts'

const COLUMNS = { Part: '', Count: 'number', Reason: '' }

/** What was left out, how much, and why. */
export function OmittedTable({ omitted, budget }: { omitted: ContextResult<unknown>['omitted']; budget: number }) {
  if (omitted.length === 0) return <p class="muted">Nothing was left out. Everything fits.</p>
  return (
    <Table columns={COLUMNS}>
      {omitted.map((one) => {
        const { name, count, reason, events, explanation } = describeOmitted(one, budget)
        return (
          <tr key={`${one.section} ${one.reason}`}>
            <th scope="row">{name}</th>
            <td class="number">{count}</td>
            <td>
              {reason}
              {explanation !== '' && <span class={css.hint}>{explanation}</span>}
              {events !== '' && <span class={css.hint}>Events {events}</span>}
            </td>
          </tr>
        )
      })}
    </Table>
  )
}

const MAX_IDS = 20

/** Calls without a result yet. */
export function PendingCalls({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null
  return (
    <div class="note">
      <p>
        {ids.length === 1 ? 'One call in the last message has' : `${ids.length} calls in the last message have`} no
        result yet. The message is sent because the call is the next work to do.
      </p>
      <p class="facts">
        {ids.slice(0, MAX_IDS).map((id) => (
          <code key={id}>{oneLine(id, 80)}</code>
        ))}
        {ids.length > MAX_IDS && <span class="muted small">and {ids.length - MAX_IDS} more</span>}
      </p>
    </div>
  )
}
