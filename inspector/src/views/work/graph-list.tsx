import type { GraphEdge } from '../../api/types.ts'
import { oneLine } from '../../parts/visible.ts'
import css from './graph-list.module.css'
import { Evidence, NodeLink } from './graph-panel.tsx'
import { ScrollBox } from './scroll-box.tsx'
import { useMore } from './use-more.tsx'

interface Props {
  readonly id: string
  readonly edges: readonly GraphEdge[]
  readonly title: (node: string) => string
}

/** The same graph in words: one relation in each row, nearest first. */
export function GraphList({ id, edges, title }: Props) {
  const { shown, more } = useMore(edges, 100)
  return (
    <div class="card stack">
      <ScrollBox label="Table of relations">
        <table class="table">
          <thead>
            <tr>
              <th scope="col" class={css.end}>
                From
              </th>
              <th scope="col">Label</th>
              <th scope="col" class={css.end}>
                To
              </th>
              <th scope="col">Evidence</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((edge) => (
              <tr key={JSON.stringify([edge.from, edge.label, edge.to])}>
                <td class="wrap">
                  <NodeLink id={id} node={edge.from} title={title} />
                </td>
                <td>{oneLine(edge.label, 64)}</td>
                <td class="wrap">
                  <NodeLink id={id} node={edge.to} title={title} />
                </td>
                <td class={css.evidence}>
                  {edge.evidence.slice(0, FEW).map((one) => (
                    <div key={one.sequence}>
                      <Evidence id={id} one={one} />
                    </div>
                  ))}
                  {edge.evidence.length > FEW && (
                    <span class="muted">and {(edge.evidence.length - FEW).toLocaleString('en')} more</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {more && <div>{more}</div>}
    </div>
  )
}

const FEW = 3
