import { useEffect, useRef } from 'preact/hooks'
import type { Memory } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Clamp } from '../../parts/clamp.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Fact } from '../../parts/fact.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Loading, ProblemNote } from '../../parts/notes.tsx'
import { formatTime, now } from '../../parts/time.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { oneLine } from '../../parts/visible.ts'
import { Confidence } from './confidence.tsx'
import { ConfidenceHistory } from './confidence-history.tsx'
import css from './detail.module.css'
import { Lineage } from './lineage.tsx'
import { getMemoryWithHistory } from './memory-api.ts'
import { formatUses } from './memory-row.tsx'
import { inactiveReason, SOURCE_NAMES } from './memory-text.ts'

interface DetailProps {
  readonly id: string
  /** Loaded memories, to find those that this one replaced. */
  readonly known: readonly Memory[]
  readonly hrefOf: (id: string) => string
  readonly onClose: () => void
  /** Whether the user picked it here and gets the focus moved to it; a link opens at the top of the page. */
  readonly isPicked: () => boolean
  /** Changes to reload. */
  readonly round: number
}

/** One memory with its sources and its confidence over time. */
export function MemoryDetail({ id, known, hrefOf, onClose, isPicked, round }: DetailProps) {
  const { value, problem, reload } = useRequest((signal) => getMemoryWithHistory(id, signal), [id, round])
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isPicked()) heading.current?.focus()
  }, [id])
  const isThis = value?.memory.id === id
  return (
    <section class={`card stack ${css.detail}`} aria-label="Memory details">
      <div class="row between">
        <h2 ref={heading} tabIndex={-1}>
          Memory
        </h2>
        <Button look="quiet small" text="Close" onClick={onClose} />
      </div>
      {problem?.status === 404 ? (
        <p class="note">
          Memory not found: <code>{oneLine(id, 80)}</code> was forgotten, or belongs to another user.
        </p>
      ) : (
        <ProblemNote problem={problem} onRetry={reload} />
      )}
      {problem === undefined && !isThis && <Loading />}
      {isThis && problem === undefined && (
        <>
          <Facts memory={value.memory} known={known} hrefOf={hrefOf} />
          <h3>Sources</h3>
          <Lineage key={id} entries={value.memory.lineage} />
          <h3>Confidence</h3>
          <ConfidenceHistory key={`changes ${id}`} changes={value.changes} hrefOf={hrefOf} />
          {value.memory.metadata !== undefined && Object.keys(value.memory.metadata).length > 0 && (
            <>
              <h3>Metadata</h3>
              <JsonView value={value.memory.metadata} />
            </>
          )}
        </>
      )}
    </section>
  )
}

interface FactsProps {
  readonly memory: Memory
  readonly known: readonly Memory[]
  readonly hrefOf: (id: string) => string
}

function Facts({ memory, known, hrefOf }: FactsProps) {
  const { id, content, category, confidence, sourceType, scope, useCount, lastUsedAt } = memory
  const { createdAt, expiresAt, supersededBy, supersededAt } = memory
  const replaced = known.filter((other) => other.supersededBy === id).slice(0, 10)
  const facts: [string, preact.ComponentChildren][] = [
    ['confidence', <Confidence value={confidence} />],
    ['category', oneLine(category, 60)],
    ['scope', scope === undefined ? 'everywhere' : oneLine(scope, 200)],
    ['source', `${sourceType}: ${SOURCE_NAMES[sourceType] ?? ''}`],
    ['created', formatTime(createdAt)],
    ['usage', formatUses(useCount) + (lastUsedAt === undefined ? '' : `, last ${formatTime(lastUsedAt)}`)],
  ]
  if (expiresAt !== undefined) {
    facts.push([inactiveReason(memory, now.value) === 'expired' ? 'expired' : 'expires', formatTime(expiresAt)])
  }
  return (
    <>
      <Clamp text={content} most={4000} class={css.text ?? ''} />
      {supersededBy !== undefined && (
        <p class="note">
          Superseded by <a href={hrefOf(supersededBy)}>another memory</a>
          {supersededAt !== undefined && `, ${formatTime(supersededAt)}`}. It is no longer recalled.
        </p>
      )}
      {replaced.map((other) => (
        <p key={other.id} class="small">
          Replaces <a href={hrefOf(other.id)}>{oneLine(other.content, 80)}</a>
        </p>
      ))}
      <dl class="pairs">
        {facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        <Fact name="id">
          <code>{id}</code> <CopyButton text={id} label="Copy the id of the memory" />
        </Fact>
      </dl>
    </>
  )
}
