import type { ContextResult } from '../../api/types.ts'
import { oneLine } from '../../parts/visible.ts'
import css from './context.module.css'
import { describeOmitted } from './omitted.ts'

/** What is missing, how much of it, and why. */
export function OmittedTable({ omitted, budget }: { omitted: ContextResult<unknown>['omitted']; budget: number }) {
  if (omitted.length === 0) return <p class="muted">Nothing was left out: all of it fits.</p>
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col" class="number">
            How many
          </th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        {omitted.map((one) => {
          const { name: what, count: howMany, reason: why, explanation: means } = describeOmitted(one, budget)
          return (
            <tr key={`${one.section} ${one.reason}`}>
              <th scope="row">{what}</th>
              <td class="number">{howMany}</td>
              <td>
                {why}
                {means !== '' && <span class={css.hint}>{means}</span>}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** Ids of calls that are named here; nobody reads more of them. */
const MAX_IDS = 20

/** Calls that still wait for their result. */
export function PendingCalls({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null
  return (
    <div class="note">
      <p>
        {ids.length === 1 ? 'One call in the last message waits' : `${ids.length} calls in the last message wait`} for a
        result: sent as it is, since that is the work to be done next.
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
