import type { Output } from '../output.ts'
import { renderFacts, renderTable } from '../table.ts'
import { pluralize } from '../text.ts'
import type { TranscriptImport } from './transcript-importer.ts'

/** Result of an import of transcripts. */
export interface TranscriptsReport extends Omit<TranscriptImport, 'waiting'> {
  seconds: number
}

/** Formats the report: counts, refused files and the next step. */
export function formatTranscriptImport(report: TranscriptsReport, output: Output): string {
  const { files, sessions, children, created, extended, unchanged, ended, events } = report
  const { refused, skipped, torn, seconds } = report
  const rows = [
    ['files', files.toLocaleString('en')],
    ['sessions', sessions.toLocaleString('en')],
    ['sub-agents', children.toLocaleString('en')],
    ['created', created.toLocaleString('en')],
    ['extended', extended.toLocaleString('en')],
    ['unchanged', unchanged.toLocaleString('en')],
    ['ended', ended.toLocaleString('en')],
    ['events', events.toLocaleString('en')],
    ['refused', refused.length.toLocaleString('en')],
    ['seconds', seconds.toFixed(1)],
  ] as const
  const counts = renderFacts(rows, output, refused.length > 0 ? 'refused' : undefined)
  const asides = [
    ...(torn.length === 0
      ? []
      : [`${pluralize(torn.length, 'file')} with an incomplete last line or response, which the next import reads.`]),
    ...(skipped.length === 0 ? [] : [`Skipped (not transcripts): ${skipped.join(', ')}`]),
  ]
  return [counts, ...formatRefusals(report), ...asides.map((text) => output.paint('dim', text))].join('\n\n')
}

/** Refused files and the next step. */
export function formatRefusals({ refused }: Pick<TranscriptImport, 'refused'>): string[] {
  if (refused.length === 0) return []
  const list = renderTable(refused, [
    { title: 'file', value: ({ file }) => file },
    { title: 'session', value: ({ sessionId }) => sessionId ?? '' },
    { title: 'code', value: ({ code }) => code },
    { title: 'reason', value: ({ message }) => message },
  ])
  const conflict = refused.find(({ code }) => code === 'IMPORT_CONFLICT')
  if (conflict?.sessionId === undefined) return [list]
  return [
    list,
    [
      'A stored session that differs from its transcript is not changed. To replace it:',
      `  throughline purge ${conflict.sessionId}`,
      'then import again. If another user owns it, pass the same --user and --tenant as before.',
    ].join('\n'),
  ]
}

/** One line per batch while following files. */
export function formatBatch({ events, sessions, created, ended, refused }: TranscriptImport, at: Date): string {
  const news = [
    `${pluralize(events, 'event')} in ${pluralize(sessions, 'session')}`,
    ...(created === 0 ? [] : [`${created.toLocaleString('en')} new`]),
    ...(ended === 0 ? [] : [`${ended.toLocaleString('en')} ended`]),
    ...(refused.length === 0 ? [] : [`${refused.length.toLocaleString('en')} refused`]),
  ]
  return `${at.toTimeString().slice(0, 8)}  ${news.join(', ')}`
}
