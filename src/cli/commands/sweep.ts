import { z } from 'zod'
import type { SweepReport } from '../../api.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { withProgress } from '../progress.ts'
import { withStore } from '../target.ts'
import { pluralize } from '../text.ts'

const sweepInput = z.strictObject({})

export const sweepCommand: Command = {
  usage: 'sweep',
  summary: 'end and compact abandoned sessions',
  more: [
    'Sweeps sessions that have expired or were idle beyond the stale timeout (7',
    'days, or SESSION_STALE_TIMEOUT_SECONDS). Run it on a schedule; several runs at',
    'once are safe.',
    '',
    `Exits with ${EXIT.storage} if some sessions could not be closed. The next sweep retries them.`,
  ].join('\n'),

  async run(input, { target, output }) {
    parse(sweepInput, input)
    const report = await withStore(target, (tl) =>
      withProgress((showProgress) =>
        tl.sweep({
          onProgress: ({ sessions, of }) =>
            showProgress(() => `sweeping: ${pluralize(sessions, 'session')}`, sessions / of),
        }),
      ),
    )
    output.print(formatReport(report, output), report)
    return report.failed === 0 ? EXIT.ok : EXIT.storage
  },
}

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
