import type { GraphEdge } from '../../api/types.ts'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { useShowMore } from '../../parts/show-more.tsx'
import { Table } from '../../parts/table.tsx'
import { oneLine } from '../../parts/visible.ts'
import css from './graph-list.module.css'
import { Evidence, NodeLink } from './graph-panel.tsx'

interface Props {
  readonly id: string
  readonly edges: readonly GraphEdge[]
  readonly title: (node: string) => string
}

const COLUMNS = { From: css.end, Label: '', To: css.end, Evidence: '' }

/** The graph as a table: one relation per row, nearest first. */
export function GraphList({ id, edges, title }: Props) {
  const { shown, more } = useShowMore(edges, 100)
  return (
    <div class="card stack">
      <ScrollBox label="Table of relations">
        <Table columns={COLUMNS}>
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
                {edge.evidence.slice(0, MAX_EVIDENCE).map((one) => (
                  <div key={one.sequence}>
                    <Evidence id={id} one={one} />
                  </div>
                ))}
                {edge.evidence.length > MAX_EVIDENCE && (
                  <span class="muted">and {(edge.evidence.length - MAX_EVIDENCE).toLocaleString('en')} more</span>
                )}
              </td>
            </tr>
          ))}
        </Table>
      </ScrollBox>
      {more && <div>{more}</div>}
    </div>
  )
}

const MAX_EVIDENCE = 3
