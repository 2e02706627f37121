import type { Output } from '../output.ts'
import { renderFacts, renderTable } from '../table.ts'
import { pluralize } from '../text.ts'
import type { Imported } from './import-documents.ts'

/** Result of an import. */
export interface ImportReport extends Imported {
  file: string
  /** Value for `memory forget --source` to undo the import. */
  source: string
  /** Nothing was written: the counts are a preview. */
  dryRun: boolean
  seconds: number
}

/** Formats the report: counts and refused documents. */
export function formatMemoryImport(report: ImportReport, output: Output): string {
  const { file, source, read, created, unchanged, refused, refusals, dryRun, seconds } = report
  const rows = [
    ['file', file],
    ['source', source],
    ['read', pluralize(read, 'document')],
    [dryRun ? 'to create' : 'created', created.toLocaleString('en')],
    ['unchanged', unchanged.toLocaleString('en')],
    ['refused', refused.toLocaleString('en')],
    ['seconds', seconds.toFixed(1)],
  ] as const
  const counts = renderFacts(rows, output, refused > 0 ? 'refused' : undefined)
  const listed = refused === 0 ? '' : `\n\n${formatRefusals(refusals)}`
  const more = refused > refusals.length ? `\nand ${(refused - refusals.length).toLocaleString('en')} more` : ''
  const closing = dryRun ? '\n\nDry run: nothing was written.' : ''
  return `${counts}${listed}${more}${closing}`
}

function formatRefusals(refusals: ImportReport['refusals']): string {
  return renderTable(refusals, [
    { title: 'refused', value: ({ place }) => place },
    { title: 'id', value: ({ id }) => id ?? '', maxWidth: 36 },
    { title: 'field', value: ({ field }) => field, maxWidth: 32 },
    { title: 'reason', value: ({ reason }) => reason },
  ])
}
