import { Button } from '../../parts/button.tsx'
import { query, setQuery } from '../../route.ts'
import css from './timeline-view.module.css'

/** Steps from turn to turn, the switch between groups and single events, and the keys for all of it. */
export function TurnBar({ onTurn }: { onTurn: (direction: 1 | -1) => void }) {
  const isGrouped = query.value.get('group') !== 'no'
  const isFiltered = query.value.has('show')
  return (
    <div class={css.turns}>
      <label class="check nowrap" title="Collapses the calls of a turn, and custom events">
        <input
          type="checkbox"
          checked={isGrouped && !isFiltered}
          disabled={isFiltered}
          onChange={({ currentTarget }) => setQuery({ group: currentTarget.checked ? undefined : 'no' })}
        />
        <span>Group</span>
      </label>
      <Button look="small" text="Previous turn" onClick={() => onTurn(-1)} />
      <Button look="small" text="Next turn" onClick={() => onTurn(1)} />
      <details class={css.keys}>
        <summary class="small">Keys</summary>
        <dl class={css.keyList}>
          {KEYS.map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  )
}

const KEYS = [
  ['j / k', 'next, previous row'],
  ['t / T', 'next, previous turn'],
  ['n / N', 'next, previous match'],
  ['Enter', 'open or close the row'],
  ['→ / ←', 'open, close a group'],
  ['g', 'groups or single events'],
  ['Home / End', 'first, last event'],
  ['/', 'search'],
] as const
