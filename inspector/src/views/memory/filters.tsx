import type { ComponentChildren } from 'preact'
import { MEMORY_CATEGORIES } from '../../domain.ts'
import { Select } from '../../parts/select.tsx'
import { useQueryText } from '../../parts/use-query-text.ts'
import { query, setQuery } from '../../route.ts'
import css from './memory.module.css'
import type { MemoryFilter } from './memory-text.ts'

const CONFIDENCE_STEPS = [0.25, 0.5, 0.7, 0.8, 0.9]

/** Reads the filter from the address. */
export function parseFilter(values: URLSearchParams): MemoryFilter {
  const least = Number(values.get('min') ?? 0)
  return {
    category: MEMORY_CATEGORIES.find((name) => name === values.get('category')) ?? '',
    minConfidence: least >= 0 && least <= 1 ? least : 0,
    includesInactive: values.get('past') !== 'no',
  }
}

/** Search input; its text moves to the address when typing pauses. */
export function SearchBox({ label, placeholder }: { label: string; placeholder: string }) {
  const [text, setText] = useQueryText('q')
  return (
    <label class={`field ${css.search}`}>
      <span>{label}</span>
      <input
        class="input"
        type="search"
        dir="auto"
        maxLength={2000}
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  )
}

/** Category, minimum confidence, and whether to include superseded and expired memories. */
export function Filters({ children }: { children?: ComponentChildren }) {
  const { category, minConfidence, includesInactive } = parseFilter(query.value)
  const isSearch = (query.value.get('q') ?? '').trim() !== ''
  const least =
    CONFIDENCE_STEPS.includes(minConfidence) || minConfidence === 0
      ? CONFIDENCE_STEPS
      : [minConfidence, ...CONFIDENCE_STEPS]
  return (
    <>
      <Select
        isField
        label="Category"
        value={category}
        options={[['', 'any'], ...MEMORY_CATEGORIES.map((name) => [name, name] as const)]}
        onChange={(name) => setQuery({ category: name })}
      />
      <Select
        isField
        label="Confidence"
        value={minConfidence === 0 ? '' : String(minConfidence)}
        options={[['', 'any'], ...least.map((value) => [value, `${value} or more`] as const)]}
        onChange={(min) => setQuery({ min })}
      />
      <label class="check nowrap" title={isSearch ? 'Searches always skip these' : undefined}>
        <input
          type="checkbox"
          checked={includesInactive && !isSearch}
          disabled={isSearch}
          onChange={({ currentTarget }) => setQuery({ past: currentTarget.checked ? undefined : 'no' })}
        />
        <span>Include superseded and expired</span>
      </label>
      {children}
    </>
  )
}
