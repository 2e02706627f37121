import { z } from 'zod'
import { ValidationError } from '../../domain/errors.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import type { Output } from '../output.ts'
import { withProgress } from '../progress.ts'
import { type Target, withStore } from '../target.ts'
import { pluralize } from '../text.ts'
import { type ExportReport, exportToFile, exportToStdout } from '../transfer/export-sessions.ts'
import { writeLines } from '../write-lines.ts'

const exportInput = z.strictObject({
  session: z.string().optional(),
  cache: z.boolean().default(false),
  out: z.string().optional(),
  resume: z.boolean().default(false),
})

export const exportCommand: Command = {
  usage: 'export [session]',
  summary: 'write sessions as they are, or one of them, as JSON Lines that import takes',
  more: [
    'All events of all sessions, which may go on meanwhile: each is written as far',
    'as it reaches when its turn comes. Memories are not in it: see memory export.',
    '',
    'What broke off goes on with --resume, behind the last block that is whole. The',
    'same sessions give the same text on every store, so that two can be compared.',
    '',
    'With --cache it writes the envelopes that the cache holds instead, one a line,',
    'for warm --from.',
    '',
    'Example: throughline export --out backup.jsonl',
    '         throughline export | throughline import --url postgres://…',
    '         throughline export --cache --out snapshot.jsonl',
  ].join('\n'),
  options: [
    { flags: '--out <file>', description: 'file to write, in place of one that is there (default: stdout)' },
    { flags: '--resume', description: 'go on with what is there of the file' },
    { flags: '--cache', description: 'the cached envelopes instead' },
  ],

  async run(input, { target, output }) {
    const { session, cache, out, resume } = parse(exportInput, input)
    if (resume && (out === undefined || cache)) {
      throw new ValidationError('resume', 'goes with --out and without --cache: it goes on with a file of sessions')
    }
    if (cache && session !== undefined) throw new ValidationError('cache', 'goes without a session')
    if (cache) await exportCache(target, out, output)
    else if (out === undefined) await exportToStdout(target, session)
    else {
      const report = await exportToFile(target, { file: out, session, resume })
      output.print(formatReport(report, output), report)
    }
    return undefined
  },
}

function formatReport({ file, sessions, events, was }: ExportReport, { paint }: Output): string {
  const what = `${pluralize(sessions, 'session')}, ${pluralize(events, 'event')}`
  if (was === 'complete') return `${paint('green', 'ok')}  ${file} is complete: ${what}`
  return was === 'written' ? `wrote ${what} to ${file}` : `went on with ${file}, which has ${what} now`
}

async function exportCache(target: Target, out: string | undefined, output: Output): Promise<void> {
  let written = 0
  await withStore(target, ({ envelopes }) =>
    withProgress((tell) =>
      writeLines(envelopes.cached(), out, () => {
        written += 1
        tell(() => `exporting: ${pluralize(written, 'envelope')}`)
      }),
    ),
  )
  if (out !== undefined) output.print(`wrote ${pluralize(written, 'envelope')} to ${out}`, { file: out, written })
}
