import { z } from 'zod'
import type { WarmReport } from '../../api.ts'
import { defined } from '../../domain/optional.ts'
import { command } from '../command.ts'
import { readSnapshotSessions } from '../envelope/snapshot.ts'
import { EXIT } from '../exit-codes.ts'
import { openInput } from '../input-file.ts'
import type { Output } from '../output.ts'
import { renderFacts } from '../table.ts'
import { withStore } from '../target.ts'
import { pluralize } from '../text.ts'

export const warmCommand = command({
  usage: 'warm',
  summary: 'fill the cache with envelopes from the store',
  more: [
    'Fills all envelopes, or those of the sessions in a snapshot (export --cache).',
    'Only the session_id of each snapshot line is used; values come from the store,',
    'so an old snapshot cannot bring back old values. Safe to repeat, and while',
    'others write.',
    '',
    `Exits with ${EXIT.storage} if some envelopes could not be cached.`,
    '',
    'Example: throughline warm --from snapshot.jsonl',
  ].join('\n'),
  options: [
    { flags: '--from <file>', description: 'snapshot with the sessions to fill; - for stdin (default: all sessions)' },
  ],
  input: z.strictObject({ from: z.string().optional() }),

  async run({ from }, { target, output }) {
    const file = from === undefined ? undefined : await openInput(from, 'from')
    const report = await withStore(target, ({ envelopes }, show) =>
      envelopes.warm({
        ...defined({ sessions: file && readSnapshotSessions(file.chunks, 'from') }),
        onProgress: ({ sessions, of }) =>
          show(
            () => `warming: ${pluralize(sessions, 'session')}`,
            file === undefined ? sessions / of : file.fractionRead(),
          ),
      }),
    )
    output.print(formatReport(report, output), report)
    return report.failed === 0 ? EXIT.ok : EXIT.storage
  },
})

function formatReport({ sessions, filled, present, unknown, failed }: WarmReport, output: Output): string {
  const rows = [
    ['sessions', sessions],
    ['filled', filled],
    ['already cached', present],
    ['not in the store', unknown],
    ['failed', failed],
  ] as const
  const facts = rows.map(([label, count]) => [label, count.toLocaleString('en')] as const)
  const counts = renderFacts(facts, output, failed > 0 ? 'failed' : undefined)
  if (failed === 0) return counts
  return `${counts}\n\nSome envelopes were not cached: the cache did not answer, or others wrote meanwhile. Run it again.`
}
