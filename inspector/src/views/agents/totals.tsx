import { Table } from '../../parts/table.tsx'
import { visible } from '../../parts/visible.ts'
import { nameText } from './agent-name.ts'
import type { Lane } from './lanes.ts'
import css from './totals.module.css'

interface Props {
  readonly lanes: readonly Lane[]
  /** Whether every event was read, or how many were. */
  readonly isAll: boolean
  readonly count: number
  /** The agent that is active now. */
  readonly active: string | undefined
}

const COLUMNS = { agent: '', events: '', turns: '', active: '' }

/** Totals of each agent. */
export function Totals({ lanes, isAll, count, active }: Props) {
  const of = isAll ? '' : ` among the last ${count.toLocaleString('en')}`
  return (
    <section class={`card ${css.part}`} aria-label="Totals">
      <h2>Totals</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard */}
      <section class={css.box} tabIndex={0} aria-label="Totals by agent">
        <Table class={css.table} columns={COLUMNS}>
          {lanes.map(({ agent, events, turns, share }) => (
            <tr key={agent}>
              <th scope="row" title={agent === undefined ? undefined : visible(agent)}>
                <bdi>{agent === undefined ? 'user' : nameText(agent, 40)}</bdi>
                {agent !== undefined && agent === active && <span class={`badge ${css.now}`}>active</span>}
              </th>
              <td>{events.toLocaleString('en')}</td>
              <td>{agent === undefined ? '' : turns.toLocaleString('en')}</td>
              <td>{agent !== undefined && <Share share={share} />}</td>
            </tr>
          ))}
        </Table>
      </section>
      <p class="muted small">
        Events: messages and tool calls{of}. Turns: turns in which the agent was active. Active: its share of the
        session.
      </p>
    </section>
  )
}

function Share({ share }: { share: number }) {
  return (
    <span class={css.share}>
      <span class={css.track} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      {Math.round(share * 100)} %
    </span>
  )
}
