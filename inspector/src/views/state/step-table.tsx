import { LIFECYCLE, LIVE_STATES } from '../../domain.ts'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { STATE_NAMES } from '../../parts/status.tsx'
import type { StepKind } from './path.ts'
import { COMMANDS } from './transitions.ts'

/** The state machine as a table. */
export function StepTable({ taken }: { taken: ReadonlyMap<StepKind, number> }) {
  return (
    <details>
      <summary class="muted small">Show as a table</summary>
      <ScrollBox label="Steps of the state machine">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">step</th>
              <th scope="col">from</th>
              <th scope="col">to</th>
              <th scope="col" class="number">
                taken
              </th>
            </tr>
          </thead>
          <tbody>
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
          </tbody>
        </table>
      </ScrollBox>
    </details>
  )
}
