import { z } from 'zod'
import type { RebuildReport } from '../../api.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import type { Output } from '../output.ts'
import { withSessionProgress } from '../progress.ts'
import { withStore } from '../target.ts'
import { pluralize } from '../text.ts'

/** Maximum number of ids to print. */
const SHOWN = 10

const rebuildInput = z.strictObject({ session: z.string().optional() })

export const rebuildCommand: Command = {
  usage: 'rebuild [session]',
  summary: 'repair stored session data from the logs',
  more: ['Changes only sessions that differ from their log. Safe while others write.'].join('\n'),

  async run(input, { target, output }) {
    const { session } = parse(rebuildInput, input)
    const report = await withStore(target, (tl) =>
      withSessionProgress('rebuilding:', (onProgress) => tl.rebuild(session, { onProgress })),
    )
    output.print(formatReport(report, output), report)
  },
}

function formatReport({ sessions, events, repaired }: RebuildReport, { paint }: Output): string {
  const seen = `${pluralize(sessions, 'session')}, ${pluralize(events, 'event')}`
  if (repaired.length === 0) return `${paint('green', 'ok')}  ${seen}: nothing to repair`
  const ids = repaired.slice(0, SHOWN).map((id) => `  ${id}`)
  const more = repaired.length - ids.length
  const rest = more === 0 ? [] : [`  and ${more.toLocaleString('en')} more; --json lists all`]
  return [`repaired ${repaired.length.toLocaleString('en')} of ${seen}:`, ...ids, ...rest].join('\n')
}
