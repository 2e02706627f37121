import type { SweepReport } from '../../api.ts'
import { reportCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { pluralize } from '../text.ts'

export const sweepCommand = reportCommand({
  usage: 'sweep',
  summary: 'end and compact abandoned sessions',
  more: [
    'Sweeps sessions that have expired or were idle beyond the stale timeout (7',
    'days; SESSION_STALE_TIMEOUT_SECONDS changes it). Run it on a schedule; several',
    'runs at once are safe.',
    '',
    `Exits with ${EXIT.storage} if some sessions could not be closed. The next sweep retries them.`,
  ].join('\n'),

  work: (tl, _input, show) =>
    tl.sweep({
      onProgress: ({ sessions, of }) => show(() => `sweeping: ${pluralize(sessions, 'session')}`, sessions / of),
    }),
  format: formatReport,
  exitCode: ({ failed }) => (failed === 0 ? EXIT.ok : EXIT.storage),
})

function formatReport({ swept, compacted, failed, forgotten }: SweepReport, { paint }: Output): string {
  const left =
    failed === 0
      ? ''
      : `, ${paint('red', `${pluralize(failed, 'session')} could not be closed; the next sweep retries`)}`
  const gone = forgotten === 0 ? '' : `, forgot ${forgotten} expired ${forgotten === 1 ? 'memory' : 'memories'}`
  const label = failed === 0 ? paint('green', 'ok') : paint('red', 'failed')
  if (swept + compacted + failed === 0) return `${label}  no sessions to sweep${gone}`
  return `${label}  ended ${pluralize(swept, 'session')}, created ${pluralize(compacted, 'commit')}${gone}${left}`
}
