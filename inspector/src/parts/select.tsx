import type { ComponentChildren } from 'preact'

interface Props {
  readonly label: string
  readonly value: string | number
  readonly options: readonly (readonly [value: string | number, text: ComponentChildren])[]
  readonly onChange: (value: string) => void
  /** Puts the label above the box instead of beside it. */
  readonly isField?: boolean
}

/** A labeled choice of one value. */
export function Select({ label, value, options, onChange, isField = false }: Props) {
  return (
    <label class={isField ? 'field' : 'row small'}>
      <span class={isField ? undefined : 'muted'}>{label}</span>
      <select
        class={isField ? 'input' : 'input small'}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
