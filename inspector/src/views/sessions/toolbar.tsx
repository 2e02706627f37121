import { useState } from 'preact/hooks'
import type { SessionRecord } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Select } from '../../parts/select.tsx'
import { STATE_NAMES } from '../../parts/status.tsx'
import { setQuery } from '../../route.ts'
import { FILTER_NAMES, type Filters, isFilter } from './filters.ts'
import { SearchBox } from './search-box.tsx'
import css from './toolbar.module.css'

interface Props {
  readonly filters: Filters
  readonly search: string
  /** Agents that are registered on the server. */
  readonly agents: readonly string[]
  /** Where suggestions come from. */
  readonly rows: readonly SessionRecord[]
  /** Whether the caller sees several users, and several tenants. */
  readonly hasUsers: boolean
  readonly hasTenants: boolean
}

/** Search and filters. Both are in the address, so a list can be linked. */
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
        <Select
          isField
          label="Status"
          value={filters.status ?? ''}
          options={[['', 'Any'], ...Object.entries(STATE_NAMES)]}
          onChange={(status) => setQuery({ status })}
        />
        <ExactFilter
          name="agent"
          filters={filters}
          options={suggestions(rows, agents, ({ activeAgent }) => activeAgent)}
        />
        {hasUsers && (
          <ExactFilter name="user" filters={filters} options={suggestions(rows, [], ({ userId }) => userId)} />
        )}
        <ExactFilter name="chatmode" filters={filters} options={suggestions(rows, [], ({ chatmode }) => chatmode)} />
        <ExactFilter name="conversation" filters={filters} options={[]} />
        <ExactFilter name="parent" filters={filters} options={[]} placeholder="session id" />
        <ExactFilter
          name="metadata"
          filters={filters}
          options={suggestions(rows, [], labelsOf)}
          placeholder="key=value"
        />
        {hasTenants && <ExactFilter name="tenant" filters={filters} options={[]} placeholder="local" />}
        {active > 0 && <Button text="Clear" onClick={clearFilters} />}
      </div>
    </div>
  )
}

/** Clears all filters; the search stays. */
export function clearFilters(): void {
  setQuery(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))
}

const LABELS = {
  agent: 'Agent',
  user: 'User',
  chatmode: 'Chatmode',
  conversation: 'Conversation',
  tenant: 'Tenant',
  parent: 'Parent',
  metadata: 'Metadata',
} as const

interface ExactFilterProps {
  readonly name: keyof typeof LABELS
  readonly filters: Filters
  readonly options: readonly string[]
  readonly placeholder?: string
}

/** A filter by exact value, the only kind that the server has. Applied on Enter or when the field is left. */
function ExactFilter({ name, filters, options, placeholder = 'exact value' }: ExactFilterProps) {
  const value = filters[name] ?? ''
  return (
    <label class="field">
      <span>{LABELS[name]}</span>
      <input
        // a change from outside, such as "Clear", replaces what is typed
        key={value}
        class="input"
        list={`filter-${name}`}
        placeholder={placeholder}
        autoComplete="off"
        spellcheck={false}
        defaultValue={value}
        onChange={({ currentTarget }) => {
          const text = currentTarget.value.trim()
          const isValid = text === '' || isFilter(name, text)
          currentTarget.setAttribute('aria-invalid', String(!isValid))
          if (isValid) setQuery({ [name]: text })
        }}
      />
      <datalist id={`filter-${name}`}>
        {options.map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
    </label>
  )
}

/** Most values that are suggested. */
const SUGGESTED = 50

function suggestions(
  rows: readonly SessionRecord[],
  known: readonly string[],
  of: (record: SessionRecord) => string | readonly string[],
) {
  const values = new Set(known)
  for (const record of rows) {
    if (values.size >= SUGGESTED) break
    for (const value of [of(record)].flat()) values.add(value)
  }
  return [...values].sort()
}

/** Longest value of metadata that is suggested. */
const LABEL = 60

/** Short members of its metadata as the filter takes them. */
function labelsOf({ metadata }: SessionRecord): string[] {
  return Object.entries(metadata)
    .filter(([, value]) => typeof value === 'string' && value !== '' && value.length <= LABEL)
    .map(([key, value]) => `${key}=${value}`)
    .filter((text) => isFilter('metadata', text))
    .slice(0, 5)
}
