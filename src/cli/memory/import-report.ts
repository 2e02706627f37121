import type { Output } from '../output.ts'
import { table } from '../table.ts'
import { counted } from '../text.ts'
import type { Imported } from './import.ts'

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
export function importText(report: ImportReport, { paint }: Output): string {
  const { file, source, read, created, unchanged, refused, refusals, dryRun, seconds } = report
  const rows = [
    ['file', file],
    ['source', source],
    ['read', counted(read, 'document')],
    [dryRun ? 'to create' : 'created', created.toLocaleString('en')],
    ['unchanged', unchanged.toLocaleString('en')],
    ['refused', refused.toLocaleString('en')],
    ['seconds', seconds.toFixed(1)],
  ] as const
  const counts = table(rows, [
    { value: ([label]) => label, paint: (text) => paint('bold', text) },
    {
      value: ([, value]) => value,
      paint: (text, [label]) => (label === 'refused' && refused > 0 ? paint('red', text) : text),
    },
  ])
  const listed = refused === 0 ? '' : `\n\n${refusalsText(refusals)}`
  const more = refused > refusals.length ? `\nand ${(refused - refusals.length).toLocaleString('en')} more` : ''
  const closing = dryRun ? '\n\nA dry run: nothing was written.' : ''
  return `${counts}${listed}${more}${closing}`
}

function refusalsText(refusals: ImportReport['refusals']): string {
  return table(refusals, [
    { title: 'refused', value: ({ place }) => place },
    { title: 'id', value: ({ id }) => id ?? '', width: 36 },
    { title: 'field', value: ({ field }) => field, width: 32 },
    { title: 'reason', value: ({ reason }) => reason },
  ])
}
