import type { ComponentChildren } from 'preact'

interface Props {
  readonly name: string
  readonly class?: string | undefined
  readonly children: ComponentChildren
}

/** A name and its value in a `<dl>`. */
export function Fact({ name, class: look, children }: Props) {
  return (
    <div class={look}>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  )
}
