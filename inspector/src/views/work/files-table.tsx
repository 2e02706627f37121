import { ScrollBox } from '../../parts/scroll-box.tsx'
import { useShowMore } from '../../parts/show-more.tsx'
import { Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import css from './files-table.module.css'
import { EventLink, formatBytes, graphHref, ShortHash, TruncatedText } from './links.tsx'
import { fileNode } from './node-name.ts'
import type { FileEntry } from './work-index.ts'

const COLUMNS = { Path: '', Read: 'number', Written: 'number', 'Last step': '' }
/** Only observations know the content of a file; tool calls do not. */
const CONTENT_COLUMNS = { Hash: '', Size: 'number' }

/** Files, most recently touched first. */
export function FilesTable({ id, files }: { id: string; files: readonly FileEntry[] }) {
  const { shown, more } = useShowMore(files, 100)
  const hasContent = files.some(({ hash, bytes }) => hash !== undefined || bytes !== undefined)
  return (
    <>
      <ScrollBox label="Table of files">
        <Table columns={hasContent ? { ...COLUMNS, ...CONTENT_COLUMNS } : COLUMNS}>
          {shown.map((file) => (
            <Row key={file.path} id={id} file={file} hasContent={hasContent} />
          ))}
        </Table>
      </ScrollBox>
      {more && <div>{more}</div>}
    </>
  )
}

interface RowProps {
  readonly id: string
  readonly file: FileEntry
  readonly hasContent: boolean
}

function Row({ id, file: { path, reads, writes, hash, bytes, last }, hasContent }: RowProps) {
  const node = fileNode(path)
  const name = <TruncatedText text={path} max={56} />
  return (
    <tr>
      <th scope="row" class={`mono ${css.path}`}>
        {node === undefined ? name : <a href={graphHref(id, node)}>{name}</a>}
      </th>
      <td class="number">{reads === 0 ? <Dash /> : `${reads}×`}</td>
      <td class="number">{writes === 0 ? <Dash /> : `${writes}×`}</td>
      <td class="nowrap">
        <EventLink id={id} sequence={last.sequence} />{' '}
        <span class="muted">
          <Ago at={last.at} />
        </span>
      </td>
      {hasContent && <td class="nowrap">{hash === undefined ? <Dash /> : <ShortHash hash={hash} />}</td>}
      {hasContent && <td class="number">{bytes === undefined ? <Dash /> : formatBytes(bytes)}</td>}
    </tr>
  )
}

/** An unknown or zero value. */
function Dash() {
  return <span class="muted">–</span>
}
