import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { pluralize } from '../text.ts'
import type { Imported } from './import-documents.ts'

/** What an import read and made of it. */
export interface ImportReport extends Imported {
  file: string
  /** What `memory forget --source` takes to undo it. */
  source: string
  /** Nothing was written: the counts are what would be. */
  dryRun: boolean
  seconds: number
}

/** The report for people: the counts, and what was refused. */
export function formatMemoryImport(report: ImportReport, { paint }: Output): string {
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
  const counts = renderTable(rows, [
    { value: ([label]) => label, paint: (text) => paint('bold', text) },
    {
      value: ([, value]) => value,
      paint: (text, [label]) => (label === 'refused' && refused > 0 ? paint('red', text) : text),
    },
  ])
  const listed = refused === 0 ? '' : `\n\n${formatRefusals(refusals)}`
  const more = refused > refusals.length ? `\nand ${(refused - refusals.length).toLocaleString('en')} more` : ''
  const closing = dryRun ? '\n\nA dry run: nothing was written.' : ''
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
