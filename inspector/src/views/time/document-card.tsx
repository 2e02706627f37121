import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Json } from '../../api/types.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { DiffList } from './diff-list.tsx'

interface Props {
  readonly name: string
  /** What stands beside the name. */
  readonly aside?: ComponentChildren
  readonly value: Json
  /** What it is compared with; `undefined` while that is not known, or if there is nothing to compare with. */
  readonly old: Json | undefined
  /** Where the changes come from, in words. */
  readonly source: ComponentChildren
}

/** A document of the session as it was, and what changed in it. */
export function DocumentCard({ name, aside, value, old, source }: Props) {
  // it may be large: written anew only when it is another
  const whole = useMemo(() => <JsonView value={value as object} />, [value])
  return (
    <section class="card stack-2" aria-label={name}>
      <header class="facts between">
        <h2>{name}</h2>
        <span class="muted small">{aside}</span>
      </header>
      <p class="small">{source}</p>
      {old !== undefined && <DiffList old={old} value={value} label={`What changed in the ${name.toLowerCase()}`} />}
      <h3 class="muted small">As it was</h3>
      {whole}
    </section>
  )
}
