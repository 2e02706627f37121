import { z } from 'zod'
import type { WarmOptions, WarmReport } from '../../api.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { readSnapshotSessions } from '../envelope/snapshot.ts'
import { EXIT } from '../exit-codes.ts'
import { openInput } from '../input-file.ts'
import type { Output } from '../output.ts'
import { withProgress } from '../progress.ts'
import { renderTable } from '../table.ts'
import { withStore } from '../target.ts'
import { pluralize } from '../text.ts'

const warmInput = z.strictObject({ from: z.string().optional() })

export const warmCommand: Command = {
  usage: 'warm',
  summary: 'fill the cache with envelopes from the store',
  more: [
    'With all of them, or with those of the sessions that a snapshot names: JSON',
    'Lines of export --cache. Of each line only its session_id is read; the value',
    'itself comes from the store, so that an old snapshot can never bring an old',
    'value back. Safe to run again, and while others write.',
    '',
    `Leaves with ${EXIT.storage} if some could not be filled.`,
    '',
    'Example: throughline warm --from snapshot.jsonl',
  ].join('\n'),
  options: [{ flags: '--from <file>', description: 'snapshot that names the sessions; - reads stdin (default: all)' }],

  async run(input, { target, output }) {
    const { from } = parse(warmInput, input)
    const file = from === undefined ? undefined : await openInput(from, 'from')
    const report = await withStore(target, ({ envelopes }) =>
      withProgress((tell) => {
        const onProgress: WarmOptions['onProgress'] = ({ sessions, of }) =>
          tell(
            () => `warming: ${pluralize(sessions, 'session')}`,
            file === undefined ? sessions / of : file.fractionRead(),
          )
        return envelopes.warm({
          onProgress,
          ...(file !== undefined && { sessions: readSnapshotSessions(file.chunks, 'from') }),
        })
      }),
    )
    output.print(formatReport(report, output), report)
    return report.failed === 0 ? EXIT.ok : EXIT.storage
  },
}

function formatReport({ sessions, filled, present, unknown, failed }: WarmReport, { paint }: Output): string {
  const rows = [
    ['sessions', sessions],
    ['filled', filled],
    ['already there', present],
    ['not in the store', unknown],
    ['failed', failed],
  ] as const
  const counts = renderTable(rows, [
    { value: ([label]) => label, paint: (text) => paint('bold', text) },
    {
      value: ([, count]) => count.toLocaleString('en'),
      paint: (text, [label]) => (label === 'failed' && failed > 0 ? paint('red', text) : text),
    },
  ])
  if (failed === 0) return counts
  return `${counts}\n\nThe cache did not take some: it did not answer, or others wrote at that moment. Run it again.`
}
