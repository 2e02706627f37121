import { useEffect, useRef } from 'preact/hooks'
import type { Memory } from '../../api/types.ts'
import { Clamp } from '../../parts/clamp.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
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
  /** Memories at hand, to find those that this one replaced. */
  readonly known: readonly Memory[]
  readonly hrefOf: (id: string) => string
  readonly onClose: () => void
  /** Whether somebody picked it here, and wants to be led to it; whoever follows a link begins at the top of the page. */
  readonly isPicked: () => boolean
  /** Moves when it should be read again. */
  readonly round: number
}

/** One memory, with where it comes from and how its confidence came about. */
export function MemoryDetail({ id, known, hrefOf, onClose, isPicked, round }: DetailProps) {
  const { value, problem, reload } = useRequest((signal) => getMemoryWithHistory(id, signal), [id, round])
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isPicked()) heading.current?.focus()
  }, [id])
  const isThis = value?.memory.id === id
  return (
    <section class={`card stack ${css.detail}`} aria-label="Details of the memory">
      <div class="row between">
        <h2 ref={heading} tabIndex={-1}>
          Memory
        </h2>
        <button type="button" class="button quiet small" onClick={onClose}>
          Close
        </button>
      </div>
      {problem?.status === 404 ? (
        <p class="note">
          This memory is not here: <code>{oneLine(id, 80)}</code> was forgotten, or belongs to somebody else.
        </p>
      ) : (
        <ProblemNote problem={problem} onRetry={reload} />
      )}
      {problem === undefined && !isThis && <Loading />}
      {isThis && problem === undefined && (
        <>
          <Facts memory={value.memory} known={known} hrefOf={hrefOf} />
          <h3>Where it comes from</h3>
          <Lineage key={id} entries={value.memory.lineage} />
          <h3>How far it is believed</h3>
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

function Facts({
  memory,
  known,
  hrefOf,
}: {
  memory: Memory
  known: readonly Memory[]
  hrefOf: (id: string) => string
}) {
  const { id, content, category, confidence, sourceType, scope, useCount, lastUsedAt } = memory
  const { createdAt, expiresAt, supersededBy, supersededAt } = memory
  const replaced = known.filter((other) => other.supersededBy === id).slice(0, 10)
  const facts: [string, preact.ComponentChildren][] = [
    ['confidence', <Confidence value={confidence} />],
    ['category', oneLine(category, 60)],
    ['holds', scope === undefined ? 'everywhere' : `in ${oneLine(scope, 200)}`],
    ['source', `${sourceType}: ${SOURCE_NAMES[sourceType] ?? ''}`],
    ['kept', formatTime(createdAt)],
    ['use', formatUses(useCount) + (lastUsedAt === undefined ? '' : `, last ${formatTime(lastUsedAt)}`)],
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
          {supersededAt !== undefined && `, ${formatTime(supersededAt)}`}: it does not come back.
        </p>
      )}
      {replaced.map((other) => (
        <p key={other.id} class="small">
          Took the place of <a href={hrefOf(other.id)}>{oneLine(other.content, 80)}</a>
        </p>
      ))}
      <dl class="pairs">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
        <div>
          <dt>id</dt>
          <dd>
            <code>{id}</code> <CopyButton text={id} label="Copy the id of the memory" />
          </dd>
        </div>
      </dl>
    </>
  )
}
