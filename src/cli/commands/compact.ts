import { z } from 'zod'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { formatCommit } from '../commit-report.ts'
import { withSessionProgress } from '../progress.ts'
import { withStore } from '../target.ts'

const compactInput = z.strictObject({ session: z.string(), summary: z.string().optional() })

export const compactCommand: Command = {
  usage: 'compact <session>',
  summary: 'create the commit of an ended session, or show the existing one',
  more: ['The commit summarizes the log. A session has one commit, and it never changes.'].join('\n'),
  options: [{ flags: '--summary <text>', description: 'summary of the commit (default: an extract of the log)' }],

  async run(input, { target, output }) {
    const { session: id, summary } = parse(compactInput, input)
    const commit = await withStore(target, async ({ sessions }) => {
      const session = await sessions.get(id)
      return await withSessionProgress('compacting:', (onProgress) =>
        session.compact(summary, {
          onProgress: ({ events, of }) => onProgress({ sessions: 1, events, of: { sessions: 1, events: of } }),
        }),
      )
    })
    const text = formatCommit(commit, output)
    const kept = summary === undefined || summary === commit.summary
    output.print(kept ? text : `${text}\n\nThe session already had this commit: --summary was ignored.`, commit)
    return undefined
  },
}
