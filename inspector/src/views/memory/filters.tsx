import type { ComponentChildren } from 'preact'
import { useQueryText } from '../../parts/use-query-text.ts'
import { query, setQuery } from '../../route.ts'
import css from './memory.module.css'
import { CATEGORIES, type MemoryFilter } from './memory-text.ts'

const CONFIDENCE_STEPS = [0.25, 0.5, 0.7, 0.8, 0.9]

/** What the address narrows the memories to. */
export function parseFilter(values: URLSearchParams): MemoryFilter {
  const least = Number(values.get('min') ?? 0)
  return {
    category: CATEGORIES.find((name) => name === values.get('category')) ?? '',
    minConfidence: least >= 0 && least <= 1 ? least : 0,
    includesInactive: values.get('past') !== 'no',
  }
}

/** The box for words; what it holds is in the address as soon as the typing rests. */
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

/** Category, least confidence, and whether those that no longer hold are listed. */
export function Filters({ children }: { children?: ComponentChildren }) {
  const { category, minConfidence, includesInactive: past } = parseFilter(query.value)
  const isSearch = (query.value.get('q') ?? '').trim() !== ''
  const least =
    CONFIDENCE_STEPS.includes(minConfidence) || minConfidence === 0
      ? CONFIDENCE_STEPS
      : [minConfidence, ...CONFIDENCE_STEPS]
  return (
    <>
      <label class="field">
        <span>Category</span>
        <select
          class="input"
          value={category}
          onChange={({ currentTarget }) => setQuery({ category: currentTarget.value })}
        >
          <option value="">any</option>
          {CATEGORIES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Confidence</span>
        <select
          class="input"
          value={minConfidence === 0 ? '' : String(minConfidence)}
          onChange={({ currentTarget }) => setQuery({ min: currentTarget.value })}
        >
          <option value="">any</option>
          {least.map((value) => (
            <option key={value} value={String(value)}>
              {value} or more
            </option>
          ))}
        </select>
      </label>
      <label class="check nowrap" title={isSearch ? 'A search never finds them' : undefined}>
        <input
          type="checkbox"
          checked={past && !isSearch}
          disabled={isSearch}
          onChange={({ currentTarget }) => setQuery({ past: currentTarget.checked ? undefined : 'no' })}
        />
        <span>superseded and expired too</span>
      </label>
      {children}
    </>
  )
}
