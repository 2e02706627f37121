import css from './memory.module.css'
import { formatConfidence } from './memory-text.ts'

/** A confidence as a bar and a number. */
export function Confidence({ value }: { value: number }) {
  const share = Math.min(1, Math.max(0, value))
  return (
    <span class="row single" title="Confidence from 0 to 1">
      <span class="hidden">confidence</span>
      <svg width="48" height="6" aria-hidden="true">
        <rect class={css.track} width="48" height="6" rx="3" />
        <rect class={css.level} width={48 * share} height="6" rx="3" />
      </svg>
      <span class="number">{formatConfidence(value)}</span>
    </span>
  )
}
