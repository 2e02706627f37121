import { useId } from 'preact/hooks'
import css from './action-dialog.module.css'
import type { Field } from './action-table.ts'

interface ActFieldProps {
  readonly field: Field
  readonly value: string
  readonly onInput: (value: string) => void
  /** The server rejected it. */
  readonly isWrong: boolean
  /** Largest number allowed. */
  readonly most: number
}

/** A form field. */
export function ActionField({ field, value, onInput, isWrong, most }: ActFieldProps) {
  const id = useId()
  const { kind, label, isRequired, hint } = field
  const shared = {
    id,
    dir: 'auto' as const,
    value,
    required: isRequired,
    'aria-invalid': isWrong || undefined,
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onInput(currentTarget.value),
  }
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {kind === 'text' && <textarea {...shared} class={`input ${css.text}`} rows={4} />}
      {kind === 'line' && <input {...shared} class="input" type="text" autoComplete="off" />}
      {kind === 'number' && <input {...shared} class="input" type="number" min={1} max={most} step={1} />}
      {hint !== undefined && (
        <span id={`${id}-hint`} class="muted small">
          {hint}
        </span>
      )}
    </div>
  )
}
