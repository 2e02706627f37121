import type { ComponentChildren, JSX } from 'preact'

interface Props extends Omit<JSX.IntrinsicElements['button'], 'type' | 'class' | 'children'> {
  readonly text: ComponentChildren
  /** Variants of the look: `small`, `quiet`, `primary`. */
  readonly look?: string
}

/** A button that submits nothing. */
export function Button({ text, look = '', ...rest }: Props) {
  return (
    <button type="button" class={`button ${look}`} {...rest}>
      {text}
    </button>
  )
}
