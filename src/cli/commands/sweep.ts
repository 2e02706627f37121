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
  summary: 'end and compact sessions that nobody came back to',
  more: [
    'Those are the sessions that expired, or rested beyond the stale timeout: 7 days, or what',
    'SESSION_STALE_TIMEOUT_SECONDS says. Run it on a schedule, from as many places as you like.',
    '',
    `Leaves with ${EXIT.storage} if some could not be closed: the next sweep tries them again.`,
  ].join('\n'),

  async run(input, { target, output }) {
    parse(sweepInput, input)
    const report = await withStore(target, (tl) =>
      withProgress((tell) =>
        tl.sweep({
          onProgress: ({ sessions, of }) => tell(() => `sweeping: ${pluralize(sessions, 'session')}`, sessions / of),
        }),
      ),
    )
    output.print(formatReport(report, output), report)
    return report.failed === 0 ? EXIT.ok : EXIT.storage
  },
}

function formatReport({ swept, compacted, failed, forgotten }: SweepReport, { paint }: Output): string {
  const left = failed === 0 ? '' : `, ${paint('red', `${pluralize(failed, 'session')} could not be closed`)}`
  const gone = forgotten === 0 ? '' : `, forgot ${forgotten} expired ${forgotten === 1 ? 'memory' : 'memories'}`
  const label = failed === 0 ? paint('green', 'ok') : paint('red', 'not all')
  if (swept + compacted + failed === 0) return `${label}  no session is due${gone}`
  return `${label}  ended ${pluralize(swept, 'session')}, made ${pluralize(compacted, 'commit')}${gone}${left}`
}
