import { z } from 'zod'
import type { RebuildReport } from '../../api.ts'
import { parse } from '../../features/parse.ts'
import type { Command } from '../command.ts'
import type { Output } from '../output.ts'
import { withProgress } from '../progress.ts'
import { withStore } from '../target.ts'
import { counted } from '../text.ts'

const rebuildInput = z.strictObject({ session: z.string().optional() })

export const rebuildCommand: Command = {
  usage: 'rebuild [session]',
  summary: 'repair from the logs what is stored about sessions',
  more: 'Touches only sessions that differ from their log, and may run while others write.',

  async run(input, { target, output }) {
    const { session } = parse(rebuildInput, input)
    const report = await withStore(target, (tl) =>
      withProgress('rebuilding:', (onProgress) => tl.rebuild(session, { onProgress })),
    )
    output.print(reportText(report, output), report)
  },
}

function reportText({ sessions, events, repaired }: RebuildReport, { paint }: Output): string {
  const seen = `${counted(sessions, 'session')}, ${counted(events, 'event')}`
  if (repaired.length === 0) return `${paint('green', 'ok')}  ${seen}: nothing to repair`
  return [`repaired ${repaired.length} of ${seen}:`, ...repaired.map((id) => `  ${id}`)].join('\n')
}
