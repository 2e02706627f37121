import { Component, type ComponentChildren, type FunctionComponent } from 'preact'

/** A component that is drawn again only when one of its props changes. */
export function memo<Props extends object>(draw: (props: Props) => ComponentChildren): FunctionComponent<Props> {
  const Inner = draw as FunctionComponent<Props>
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return !isSame(this.props, next)
    }
    override render(props: Props) {
      return <Inner {...props} />
    }
  }
  return Memo as unknown as FunctionComponent<Props>
}

function isSame(a: object, b: object): boolean {
  const before = Object.entries(a)
  const after = b as Record<string, unknown>
  return before.length === Object.keys(b).length && before.every(([key, value]) => Object.is(value, after[key]))
}
