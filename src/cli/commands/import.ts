import { z } from 'zod'
import type { ImportProgress, ImportReport, Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command, Context } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { nameOption, tenant } from '../option-schemas.ts'
import { withProgress } from '../progress.ts'
import { withStore } from '../target.ts'
import { pluralize } from '../text.ts'
import { checkFiles, formatCheck } from '../transfer/check-files.ts'
import { type ExportFiles, openExportFiles } from '../transfer/export-files.ts'
import { formatImport } from '../transfer/import-report.ts'
import { withInterruptMessage } from '../transfer/interrupt-message.ts'

const importInput = z.strictObject({
  files: z.array(z.string()).default([]),
  check: z.boolean().default(false),
  from: z.enum(['claude-code'], 'must be claude-code; without --from an export is read').optional(),
  follow: z.boolean().optional(),
  user: nameOption().optional(),
  tenant,
})

const STOPPED_MESSAGE = 'Stopped in the middle. What came to its end is in. To go on, run the same again.'

export const importCommand: Command = {
  usage: 'import [files...]',
  summary: 'take sessions in that export wrote, or transcripts of a coding agent',
  more: [
    'Reads what export wrote, from files or from stdin (-). Sessions keep their ids,',
    'sequences and times. What is here already stays, and only what is behind it is',
    'added: run it again after a break, or when there is more. A session is here',
    'when all of it is.',
    '',
    'A session that went on here by itself is left as it is, and so is one whose',
    `place is taken. They are listed, and it leaves with ${EXIT.refused}; the others are in.`,
    'Of a file that is damaged it takes what is whole, goes on with the next file,',
    `and leaves with ${EXIT.usage}.`,
    '',
    'With --check it only looks whether the files are whole, and whether a store',
    'would take what is in them. It opens no store, and writes nothing.',
    '',
    'With --from claude-code it reads the transcripts of Claude Code instead: files,',
    'or folders such as ~/.claude/projects.',
    '',
    'Example: throughline import backup.jsonl --url postgres://…',
    '         throughline import --check backup.jsonl',
    '         throughline import --from claude-code ~/.claude/projects --follow',
  ].join('\n'),
  options: [
    { flags: '--check', description: 'look whether the files are whole, and write nothing' },
    { flags: '--from <kind>', description: 'what the files are, if no export: claude-code' },
    { flags: '--follow', description: 'with --from: go on with what comes, until Ctrl-C' },
    { flags: '--user <id>', description: 'with --from: whose sessions they become' },
    { flags: '--tenant <id>', description: 'with --from: tenant of the user' },
  ],

  async run(input, context) {
    const { files, from, check, ...only } = parse(importInput, input)
    if (from !== undefined) {
      if (check) throw new ValidationError('check', 'goes without --from: it is for files that export wrote')
      const { importTranscripts } = await import('../transcripts/import-transcripts.ts')
      return await importTranscripts({ paths: files, ...only }, context)
    }
    for (const [option, value] of Object.entries(only)) {
      if (value !== undefined) throw new ValidationError(option, 'goes with --from alone: an export says it itself')
    }
    return await (check ? checkExports : importExports)(filesOrStdin(files), context)
  },
}

async function importExports(files: readonly string[], { target, output }: Context): Promise<ExitCode> {
  const start = performance.now()
  const source = await openExportFiles(files)
  let isRefused = false
  // for what is nothing at all no store is made
  if (source.hasBlocks || source.damaged.length === 0) {
    const report = await withStore(target, (tl) => importBlocks(tl, source), { absent: 'make' })
    const whole = { ...report, seconds: Math.round(performance.now() - start) / 1000 }
    output.print(formatImport(whole, output), whole)
    isRefused = report.refused.length > 0
  }
  for (const { error } of source.damaged) {
    const { code, message, details } = error
    output.fail({ code, message, details, exitCode: EXIT.usage })
  }
  if (source.damaged.length > 0) return EXIT.usage
  return isRefused ? EXIT.refused : EXIT.ok
}

async function checkExports(files: readonly string[], { output }: Context): Promise<ExitCode> {
  const report = await checkFiles(await openExportFiles(files), files.length)
  output.print(formatCheck(report, output), report)
  return report.ok ? EXIT.ok : EXIT.usage
}

function filesOrStdin(files: readonly string[]): readonly string[] {
  if (files.length > 0) return files
  if (process.stdin.isTTY) throw new ValidationError('files', 'must name a file that export wrote, or - for stdin')
  return ['-']
}

async function importBlocks(tl: Throughline, { blocks, fractionRead }: ExportFiles): Promise<ImportReport> {
  return await withProgress((tell) => {
    const onProgress = ({ sessions, events }: ImportProgress) =>
      tell(() => `importing: ${pluralize(sessions, 'session')}, ${pluralize(events, 'event')}`, fractionRead())
    return withInterruptMessage(STOPPED_MESSAGE, () => tl.import(blocks, { onProgress }))
  })
}
