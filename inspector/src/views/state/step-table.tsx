import { LIFECYCLE, LIVE_STATES } from '../../domain.ts'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { STATE_NAMES } from '../../parts/status.tsx'
import { Table } from '../../parts/table.tsx'
import type { StepKind } from './path.ts'
import { COMMANDS } from './transitions.ts'

const COLUMNS = { step: '', from: '', to: '', taken: 'number' }

/** The state machine as a table. */
export function StepTable({ taken }: { taken: ReadonlyMap<StepKind, number> }) {
  return (
    <details>
      <summary class="muted small">Show as a table</summary>
      <ScrollBox label="Steps of the state machine">
        <Table columns={COLUMNS}>
          {COMMANDS.map((command) => {
            const { from, to } = LIFECYCLE[command]
            return (
              <tr key={command}>
                <th scope="row">
                  <code>{command}</code>
                </th>
                <td>
                  {from.length === LIVE_STATES.length
                    ? 'any live state'
                    : from.map((one) => STATE_NAMES[one]).join(', ')}
                </td>
                <td>{STATE_NAMES[to]}</td>
                <td class="number">{taken.get(command) ?? 0}</td>
              </tr>
            )
          })}
        </Table>
      </ScrollBox>
    </details>
  )
}
