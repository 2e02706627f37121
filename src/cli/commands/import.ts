import { z } from 'zod'
import { ValidationError } from '../../domain/errors.ts'
import type { TranscriptFormatName } from '../../transcripts/formats.ts'
import { type Context, command } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { nameOption, tenant } from '../option-schemas.ts'
import { countSessions } from '../progress.ts'
import { withStore } from '../target.ts'
import { checkFiles, formatCheck } from '../transfer/check-files.ts'
import { openExportFiles } from '../transfer/export-files.ts'
import { formatImport } from '../transfer/import-report.ts'
import { withInterruptMessage } from '../transfer/interrupt-message.ts'

const FORMATS = ['claude-code', 'codex'] as const satisfies readonly TranscriptFormatName[]

const STOPPED_MESSAGE = 'Stopped. Complete sessions are imported. Run the same command again to continue.'

export const importCommand = command({
  usage: 'import [files...]',
  summary: 'import sessions from an export, or transcripts of a coding agent',
  more: [
    'Reads exports from files or stdin (-). Sessions keep their ids, sequences and',
    'times. Only missing events are added, so the command is safe to repeat. A',
    'session becomes visible when it is complete.',
    '',
    'A session that conflicts with a stored one is skipped and listed, and the',
    `command exits with ${EXIT.refused}. If a file is damaged, its intact part and the other files`,
    `are imported, and the command exits with ${EXIT.usage}.`,
    '',
    '--check verifies files without opening a store.',
    '',
    '--from reads transcripts of Claude Code (claude-code) or Codex CLI (codex):',
    'files, or folders such as ~/.claude/projects and ~/.codex/sessions. Sessions',
    'without new lines for the stale timeout are ended, with their commit.',
    '',
    'Example: throughline import backup.jsonl --url postgres://…',
    '         throughline import --check backup.jsonl',
    '         throughline import --from claude-code ~/.claude/projects --follow',
  ].join('\n'),
  options: [
    { flags: '--check', description: 'verify the files, write nothing' },
    { flags: '--from <kind>', description: 'format of the files if not an export: claude-code or codex' },
    { flags: '--follow', description: 'with --from: keep importing new lines until Ctrl-C' },
    { flags: '--user <id>', description: 'with --from: owner of the sessions (default: your system user)' },
    { flags: '--tenant <id>', description: 'with --from: tenant of the user (default: "local")' },
    { flags: '--prices <file>', description: 'with --from: JSON file with prices of models (THROUGHLINE_PRICES)' },
  ],
  input: z.strictObject({
    files: z.array(z.string()).default([]),
    check: z.boolean().default(false),
    from: z.enum(FORMATS, `must be ${FORMATS.join(' or ')}; omit --from to import an export`).optional(),
    follow: z.boolean().optional(),
    user: nameOption().optional(),
    tenant,
    prices: z.string().optional(),
  }),

  async run({ files, from, check, ...only }, context) {
    if (from !== undefined) {
      if (check) throw new ValidationError('check', 'cannot be combined with --from: it checks exports only')
      const { importTranscripts } = await import('../transcripts/import-transcripts.ts')
      return await importTranscripts({ from, paths: files, ...only }, context)
    }
    for (const [option, value] of Object.entries(only)) {
      if (value !== undefined) throw new ValidationError(option, 'needs --from')
    }
    return await (check ? checkExports : importExports)(filesOrStdin(files), context)
  },
})

async function importExports(files: readonly string[], { target, output }: Context): Promise<ExitCode> {
  const start = performance.now()
  const source = await openExportFiles(files)
  let isRefused = false
  // no readable block: do not create a store
  if (source.hasBlocks || source.damaged.length === 0) {
    const report = await withStore(
      target,
      (tl, show) =>
        withInterruptMessage(STOPPED_MESSAGE, () =>
          tl.import(source.blocks, {
            onProgress: (progress) => show(() => `importing: ${countSessions(progress)}`, source.fractionRead()),
          }),
        ),
      { absent: 'create' },
    )
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
  if (process.stdin.isTTY) throw new ValidationError('files', 'are required: name an export, or - for stdin')
  return ['-']
}
