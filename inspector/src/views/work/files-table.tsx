import { Ago } from '../../parts/time.tsx'
import css from './files-table.module.css'
import { bytesText, EventLink, graphHref, Hash, Middle } from './links.tsx'
import { fileNode } from './node-name.ts'
import { ScrollBox } from './scroll-box.tsx'
import type { FileSeen } from './things.ts'
import { useMore } from './use-more.tsx'

/** Files, the one touched last first. */
export function FilesTable({ id, files }: { id: string; files: readonly FileSeen[] }) {
  const { shown, more } = useMore(files, 100)
  return (
    <>
      <ScrollBox label="Table of files">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Path</th>
              <th scope="col" class="number">
                Read
              </th>
              <th scope="col" class="number">
                Written
              </th>
              <th scope="col">Last step</th>
              <th scope="col">Hash</th>
              <th scope="col" class="number">
                Size
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((file) => (
              <Row key={file.path} id={id} file={file} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {more && <div>{more}</div>}
    </>
  )
}

function Row({ id, file: { path, reads, writes, hash, bytes, last } }: { id: string; file: FileSeen }) {
  const node = fileNode(path)
  const name = <Middle text={path} most={56} />
  return (
    <tr>
      <th scope="row" class={`mono ${css.path}`}>
        {node === undefined ? name : <a href={graphHref(id, node)}>{name}</a>}
      </th>
      <td class="number">{reads === 0 ? <None /> : `${reads}×`}</td>
      <td class="number">{writes === 0 ? <None /> : `${writes}×`}</td>
      <td class="nowrap">
        <EventLink id={id} sequence={last.sequence} />{' '}
        <span class="muted">
          <Ago at={last.at} />
        </span>
      </td>
      <td class="nowrap">{hash === undefined ? <None /> : <Hash hash={hash} />}</td>
      <td class="number">{bytes === undefined ? <None /> : bytesText(bytes)}</td>
    </tr>
  )
}

/** Nothing is known, or there was nothing. */
function None() {
  return <span class="muted">–</span>
}
