import { useState } from 'preact/hooks'
import type { SessionRecord } from '../../api/types.ts'
import { STATE_NAMES } from '../../parts/status.tsx'
import { setQuery } from '../../route.ts'
import { FILTER_NAMES, type Filters } from './filters.ts'
import { SearchBox } from './search-box.tsx'
import css from './toolbar.module.css'

interface Props {
  readonly filters: Filters
  readonly search: string
  /** Agents that the server knows. */
  readonly agents: readonly string[]
  /** Where suggestions come from. */
  readonly rows: readonly SessionRecord[]
  /** Whether several users can be seen, and several tenants. */
  readonly hasUsers: boolean
  readonly hasTenants: boolean
}

/** What to look for among the sessions. All of it stands in the address, so that a list can be linked to. */
export function Toolbar({ filters, search, agents, rows, hasUsers, hasTenants }: Props) {
  const [isOpen, setOpen] = useState(false)
  const active = Object.keys(filters).length
  return (
    <div class={css.toolbar}>
      <SearchBox value={search} onInput={(q) => setQuery({ q })} />
      <button type="button" class={`button ${css.toggle}`} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Filters{active > 0 && ` (${active})`}
      </button>
      <div class={css.filters} data-open={isOpen}>
        <label class="field">
          <span>Status</span>
          <select
            class="input"
            value={filters.status ?? ''}
            onChange={({ currentTarget }) => setQuery({ status: currentTarget.value })}
          >
            <option value="">Any</option>
            {Object.entries(STATE_NAMES).map(([state, name]) => (
              <option key={state} value={state}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Exact name="agent" filters={filters} options={seen(rows, agents, ({ activeAgent }) => activeAgent)} />
        {hasUsers && <Exact name="user" filters={filters} options={seen(rows, [], ({ userId }) => userId)} />}
        <Exact name="chatmode" filters={filters} options={seen(rows, [], ({ chatmode }) => chatmode)} />
        <Exact name="conversation" filters={filters} options={[]} />
        {hasTenants && <Exact name="tenant" filters={filters} options={[]} placeholder="local" />}
        {active > 0 && (
          <button type="button" class="button" onClick={clearFilters}>
            Clear
          </button>
        )}
      </div>
    </div>
  )
}

/** Shows every session again; what is searched for stays. */
export function clearFilters(): void {
  setQuery(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))
}

const LABELS = {
  agent: 'Agent',
  user: 'User',
  chatmode: 'Chatmode',
  conversation: 'Conversation',
  tenant: 'Tenant',
} as const

interface ExactProps {
  readonly name: keyof typeof LABELS
  readonly filters: Filters
  readonly options: readonly string[]
  readonly placeholder?: string
}

/** A filter by the whole value: the server knows no other. It is set when the field is left, or by Enter. */
function Exact({ name, filters, options, placeholder = 'exact value' }: ExactProps) {
  const value = filters[name] ?? ''
  return (
    <label class="field">
      <span>{LABELS[name]}</span>
      <input
        // another value from outside, as by "Clear", takes the place of what is typed
        key={value}
        class="input"
        list={`filter-${name}`}
        placeholder={placeholder}
        autoComplete="off"
        spellcheck={false}
        defaultValue={value}
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value.trim() })}
      />
      <datalist id={`filter-${name}`}>
        {options.map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
    </label>
  )
}

/** Values that are suggested at most. */
const SUGGESTED = 50

function seen(rows: readonly SessionRecord[], known: readonly string[], of: (record: SessionRecord) => string) {
  const values = new Set(known)
  for (const record of rows) {
    if (values.size >= SUGGESTED) break
    values.add(of(record))
  }
  return [...values].sort()
}
