import type { FoundMemory, Memory } from '../../api/types.ts'
import { Ago, now } from '../../parts/time.tsx'
import { oneLine } from '../../parts/visible.ts'
import { Confidence } from './confidence.tsx'
import css from './memory.module.css'
import { inactiveReason, SOURCE_NAMES } from './memory-text.ts'

interface Props {
  readonly memory: Memory | FoundMemory
  readonly href: string
  readonly isChosen: boolean
}

/** A memory in a list. */
export function MemoryRow({ memory, href, isChosen }: Props) {
  const { id, content, category, scope, sourceType, confidence, useCount, lastUsedAt } = memory
  const past = inactiveReason(memory, now.value)
  return (
    <li class={css.row} data-past={past !== undefined} data-chosen={isChosen}>
      <a id={`memory-${id}`} class={css.content} href={href} aria-current={isChosen ? 'true' : undefined} dir="auto">
        {oneLine(content, 240)}
      </a>
      <div class={css.facts}>
        <Confidence value={confidence} />
        <span class="badge">{oneLine(category, 40)}</span>
        {past !== undefined && (
          <span class="badge" data-past={past}>
            {past}
          </span>
        )}
        <span title={SOURCE_NAMES[sourceType]}>{sourceType}</span>
        {scope !== undefined && <span class="wrap">in {oneLine(scope, 60)}</span>}
        <span>
          {formatUses(useCount)}
          {lastUsedAt !== undefined && (
            <>
              , last <Ago at={lastUsedAt} />
            </>
          )}
        </span>
        {'score' in memory && <span>score {memory.score.toFixed(2)}</span>}
      </div>
    </li>
  )
}

/** `never used`, `used once`, `used 3 times`. */
export function formatUses(count: number): string {
  if (count === 0) return 'never used'
  return count === 1 ? 'used once' : `used ${count.toLocaleString('en')} times`
}
