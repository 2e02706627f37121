import type { ComponentChildren } from 'preact'

interface Props {
  /** The class of each column heading by its text: `number` aligns to the right. */
  readonly columns: Readonly<Record<string, string | undefined>>
  readonly class?: string | undefined
  /** The rows. */
  readonly children: ComponentChildren
  readonly foot?: ComponentChildren
}

/** A table with a row of headings. */
export function Table({ columns, class: name = 'table', children, foot }: Props) {
  return (
    <table class={name}>
      <thead>
        <tr>
          {Object.entries(columns).map(([text, look]) => (
            <th key={text} scope="col" class={look || undefined}>
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
      {foot && <tfoot>{foot}</tfoot>}
    </table>
  )
}
