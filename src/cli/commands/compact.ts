import { z } from 'zod'
import { command } from '../command.ts'
import { formatCommit } from '../commit-report.ts'
import { sessionProgress } from '../progress.ts'
import { withStore } from '../target.ts'

export const compactCommand = command({
  usage: 'compact <session>',
  summary: 'create the commit of an ended session, or show the existing one',
  more: 'The commit summarizes the log. A session has one commit, and it never changes.',
  options: [{ flags: '--summary <text>', description: 'summary of the commit (default: an extract of the log)' }],
  input: z.strictObject({ session: z.string(), summary: z.string().optional() }),

  async run({ session: id, summary }, { target, output }) {
    const commit = await withStore(target, async ({ sessions }, show) => {
      const session = await sessions.get(id)
      const onProgress = sessionProgress(show, 'compacting:')
      return await session.compact(summary, {
        onProgress: ({ events, of }) => onProgress({ sessions: 1, events, of: { sessions: 1, events: of } }),
      })
    })
    const text = formatCommit(commit, output)
    const kept = summary === undefined || summary === commit.summary
    output.print(kept ? text : `${text}\n\nThe session already had this commit: --summary was ignored.`, commit)
  },
})
