import { z } from 'zod'
import { ValidationError } from '../../domain/errors.ts'
import { command } from '../command.ts'
import { OUT_FILE } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { countSessions } from '../progress.ts'
import { type Target, withStore } from '../target.ts'
import { pluralize } from '../text.ts'
import { type ExportReport, exportToFile, exportToStdout } from '../transfer/export-sessions.ts'
import { writeJsonLines } from '../write-lines.ts'

export const exportCommand = command({
  usage: 'export [session]',
  summary: 'export all sessions, or one, as JSON Lines for import',
  more: [
    'Exports all events and is safe while others write. Memories are not included;',
    'see throughline memory export.',
    '',
    'If an export stops early, repeat it with --resume. The same sessions give the',
    'same lines on every store, so you can compare two stores by their exports.',
    '',
    'With --cache it exports the cached envelopes, for throughline warm --from.',
    '',
    'Example: throughline export --out backup.jsonl',
    '         throughline export | throughline import --url postgres://…',
    '         throughline export --cache --out snapshot.jsonl',
  ].join('\n'),
  options: [
    OUT_FILE,
    { flags: '--resume', description: 'continue an incomplete file' },
    { flags: '--cache', description: 'export the cached envelopes instead' },
  ],
  input: z.strictObject({
    session: z.string().optional(),
    cache: z.boolean().default(false),
    out: z.string().optional(),
    resume: z.boolean().default(false),
  }),

  async run({ session, cache, out, resume }, { target, output }) {
    if (resume && (out === undefined || cache)) {
      throw new ValidationError('resume', 'needs --out and cannot be combined with --cache')
    }
    if (cache && session !== undefined) throw new ValidationError('cache', 'cannot be combined with a session')
    if (cache) await exportCache(target, out, output)
    else if (out === undefined) await exportToStdout(target, session)
    else {
      const report = await exportToFile(target, { file: out, session, resume })
      output.print(formatReport(report, output), report)
    }
  },
})

function formatReport(report: ExportReport, { paint }: Output): string {
  const { file, was } = report
  const what = countSessions(report)
  if (was === 'complete') return `${paint('green', 'ok')}  ${file} is complete: ${what}`
  return was === 'written' ? `wrote ${what} to ${file}` : `continued ${file}: ${what} in total`
}

async function exportCache(target: Target, out: string | undefined, output: Output): Promise<void> {
  let written = 0
  await withStore(target, ({ envelopes }, show) =>
    writeJsonLines(envelopes.cached(), out, () => {
      written += 1
      show(() => `exporting: ${pluralize(written, 'envelope')}`)
    }),
  )
  if (out !== undefined) output.print(`wrote ${pluralize(written, 'envelope')} to ${out}`, { file: out, written })
}
