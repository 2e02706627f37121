import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { pluralize } from '../text.ts'
import type { TranscriptImport } from './transcript-importer.ts'

/** What an import of transcripts did. */
export interface TranscriptsReport extends Omit<TranscriptImport, 'waiting'> {
  seconds: number
}

/** The report for people: the counts, what was refused, and what to do about that. */
export function formatTranscriptImport(report: TranscriptsReport, { paint }: Output): string {
  const { files, sessions, created, extended, unchanged, events, refused, skipped, torn, seconds } = report
  const rows = [
    ['files', files.toLocaleString('en')],
    ['sessions', sessions.toLocaleString('en')],
    ['created', created.toLocaleString('en')],
    ['extended', extended.toLocaleString('en')],
    ['unchanged', unchanged.toLocaleString('en')],
    ['events', events.toLocaleString('en')],
    ['refused', refused.length.toLocaleString('en')],
    ['seconds', seconds.toFixed(1)],
  ] as const
  const counts = renderTable(rows, [
    { value: ([label]) => label, paint: (text) => paint('bold', text) },
    {
      value: ([, value]) => value,
      paint: (text, [label]) => (label === 'refused' && refused.length > 0 ? paint('red', text) : text),
    },
  ])
  const asides = [
    ...(torn.length === 0
      ? []
      : [`${pluralize(torn.length, 'file')} with a last line that is being written: it is taken next time.`]),
    ...(skipped.length === 0 ? [] : [`Skipped, as no transcripts: ${skipped.join(', ')}`]),
  ]
  return [counts, ...formatRefusals(report), ...asides.map((text) => paint('dim', text))].join('\n\n')
}

/** What was refused, and what to do. */
export function formatRefusals({ refused }: Pick<TranscriptImport, 'refused'>): string[] {
  if (refused.length === 0) return []
  const list = renderTable(refused, [
    { title: 'refused', value: ({ file }) => file },
    { title: 'session', value: ({ sessionId }) => sessionId ?? '' },
    { title: 'code', value: ({ code }) => code },
    { title: 'reason', value: ({ message }) => message },
  ])
  const conflict = refused.find(({ code }) => code === 'IMPORT_CONFLICT')
  if (conflict?.sessionId === undefined) return [list]
  return [
    list,
    [
      'A session that differs from its transcript stays as it is here. To have the transcript instead:',
      `  throughline purge ${conflict.sessionId}`,
      'and import again. What came in for another user needs the same --user and --tenant as then.',
    ].join('\n'),
  ]
}

/** One line for what came while files are followed. */
export function formatBatch({ events, sessions, created, refused }: TranscriptImport, at: Date): string {
  const news = [
    `${pluralize(events, 'event')} in ${pluralize(sessions, 'session')}`,
    ...(created === 0 ? [] : [`${created.toLocaleString('en')} new`]),
    ...(refused.length === 0 ? [] : [`${refused.length.toLocaleString('en')} refused`]),
  ]
  return `${at.toTimeString().slice(0, 8)}  ${news.join(', ')}`
}
