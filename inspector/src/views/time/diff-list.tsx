import { useMemo } from 'preact/hooks'
import type { Json } from '../../api/types.ts'
import { shortJson } from '../../parts/short-json.ts'
import { visible } from '../../parts/visible.ts'
import { ChangeArrow } from './change-arrow.tsx'
import css from './diff-list.module.css'
import { type Change, diffJson, formatPath } from './json-diff.ts'

const MAX_CHANGES = 200
const SIGNS = { added: '+', removed: '−', changed: '~' } as const

/** The differences between two values, by path. */
export function DiffList({ old, value, label }: { old: Json; value: Json; label: string }) {
  const { changes, isTruncated } = useMemo(() => diffJson(old, value, MAX_CHANGES), [old, value])
  if (changes.length === 0) return <p class="muted small">No differences.</p>
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by keyboard */}
      <section class={css.box} tabIndex={0} aria-label={label}>
        <ul class={css.list}>
          {changes.map((change) => (
            <Line key={`${change.op} ${JSON.stringify(change.path)}`} change={change} />
          ))}
        </ul>
      </section>
      {isTruncated && <p class="muted small">Showing the first {MAX_CHANGES} changes.</p>}
    </>
  )
}

function Line({ change }: { change: Change }) {
  const path = formatPath(change.path)
  return (
    <li class={css.line} data-op={change.op}>
      <span class={css.sign} aria-hidden="true">
        {SIGNS[change.op]}
      </span>
      <span class="hidden">{change.op}</span>
      <code class={css.path}>{path === '' ? 'whole document' : visible(path)}</code>
      <span class={css.values}>
        {'old' in change && <Value value={change.old} name="old" />}
        {change.op === 'changed' && <ChangeArrow />}
        {'value' in change && <Value value={change.value} name="new" />}
      </span>
    </li>
  )
}

function Value({ value, name }: { value: Json; name: 'old' | 'new' }) {
  return (
    <code class={name === 'old' ? css.old : css.new} dir="auto">
      {visible(shortJson(value, 300))}
    </code>
  )
}
