import { z } from 'zod'
import type { ImportProgress, ImportReport, Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { parse } from '../../features/parse.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { withLine } from '../progress.ts'
import { withStore } from '../target.ts'
import { counted } from '../text.ts'
import { type ExportFiles, exportFiles } from '../transfer/import-files.ts'
import { importText } from '../transfer/import-text.ts'
import { orElseSaying } from '../transfer/interrupted.ts'

const importInput = z.strictObject({
  files: z.array(z.string()).default([]),
  from: z.enum(['claude-code'], 'must be claude-code; without --from an export is read').optional(),
  follow: z.boolean().optional(),
  user: z.string().optional(),
  tenant: z.string().optional(),
})

const STOPPED = 'Stopped in the middle. What came to its end is in. To go on, run the same again.'

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
    `Where a file is damaged it takes what is whole, and leaves with ${EXIT.usage}.`,
    '',
    'With --from claude-code it reads the transcripts of Claude Code instead: files,',
    'or folders such as ~/.claude/projects.',
    '',
    'Example: throughline import backup.jsonl --url postgres://…',
    '         throughline import --from claude-code ~/.claude/projects --follow',
  ].join('\n'),
  options: [
    { flags: '--from <kind>', description: 'what the files are, if no export: claude-code' },
    { flags: '--follow', description: 'with --from: go on with what comes, until Ctrl-C' },
    { flags: '--user <id>', description: 'with --from: whose sessions they become' },
    { flags: '--tenant <id>', description: 'with --from: tenant of the user' },
  ],

  async run(input, context) {
    const { files, from, ...only } = parse(importInput, input)
    if (from !== undefined) {
      const { importTranscripts } = await import('../transcripts/import.ts')
      return await importTranscripts({ paths: files, ...only }, context)
    }
    for (const [option, value] of Object.entries(only)) {
      if (value !== undefined) throw new ValidationError(option, 'goes with --from alone: an export says it itself')
    }
    const { target, output } = context
    const start = performance.now()
    const source = await exportFiles(filesOr(files))
    const report = await withStore(target, (tl) => imported(tl, source), { absent: 'make' })
    const whole = { ...report, seconds: Math.round(performance.now() - start) / 1000 }
    output.print(importText(whole, output), whole)
    const damage = source.damage()
    if (damage !== undefined) throw damage
    return report.refused.length === 0 ? EXIT.ok : EXIT.refused
  },
}

function filesOr(files: readonly string[]): readonly string[] {
  if (files.length > 0) return files
  if (process.stdin.isTTY) throw new ValidationError('files', 'must name a file that export wrote, or - for stdin')
  return ['-']
}

async function imported(tl: Throughline, { blocks, done }: ExportFiles): Promise<ImportReport> {
  return await withLine((tell) => {
    const onProgress = ({ sessions, events }: ImportProgress) =>
      tell(() => `importing: ${counted(sessions, 'session')}, ${counted(events, 'event')}`, done())
    return orElseSaying(STOPPED, () => tl.import(blocks, { onProgress }))
  })
}
