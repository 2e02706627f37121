import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Json } from '../../api/types.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { DiffList } from './diff-list.tsx'

interface Props {
  readonly name: string
  /** Shown beside the name. */
  readonly aside?: ComponentChildren
  readonly value: Json
  /** The value to compare with; `undefined` while loading, or if there is none. */
  readonly old: Json | undefined
  /** Says where the changes come from. */
  readonly source: ComponentChildren
}

/** A document of the session at this moment, with its changes. */
export function DocumentCard({ name, aside, value, old, source }: Props) {
  // may be large, so it is rendered only when the value changes
  const fullDocument = useMemo(() => <JsonView value={value as object} />, [value])
  return (
    <section class="card stack-2" aria-label={name}>
      <header class="facts between">
        <h2>{name}</h2>
        <span class="muted small">{aside}</span>
      </header>
      <p class="small">{source}</p>
      {old !== undefined && <DiffList old={old} value={value} label={`Changes in the ${name.toLowerCase()}`} />}
      <h3 class="muted small">Full document</h3>
      {fullDocument}
    </section>
  )
}
