import { basename } from 'node:path'
import { z } from 'zod'
import type { Throughline } from '../../../api.ts'
import { LIMITS } from '../../../domain/limits.ts'
import { name, parse } from '../../../features/kernel/parse.ts'
import type { Command } from '../../command.ts'
import { EXIT } from '../../exit-codes.ts'
import { openInput } from '../../input-file.ts'
import { type ImportCounts, importDocuments } from '../../memory/import-documents.ts'
import { formatMemoryImport, type ImportReport } from '../../memory/import-report.ts'
import { MAX_BYTES, readDocuments } from '../../memory/read-documents.ts'
import { category, given, user, wholeNumber } from '../../option-schemas.ts'
import { withProgress } from '../../progress.ts'
import { withStore } from '../../target.ts'
import { pluralize } from '../../text.ts'

const importInput = z.strictObject({
  file: z.string(),
  user: user.pipe(name()),
  tenant: z._default(name(), 'local'),
  category: category.optional(),
  scope: z.optional(name()),
  source: z.optional(name().check(z.maxLength(LIMITS.name - 'import:'.length))),
  batch: wholeNumber(1, LIMITS.memories).default(500),
  dryRun: z.boolean().default(false),
})

export const importCommand: Command = {
  usage: 'import <file>',
  summary: 'bring documents of a vector store, such as a FAISS export, in as memories',
  more: [
    'FILE holds JSON Lines, a JSON list, { "documents": [...] }, or a docstore',
    '{ id: document }; - reads stdin. JSON Lines are read as they come, at any',
    `length; the others are read whole, up to ${MAX_BYTES / 1024 / 1024} MB.`,
    '',
    'A document has a text (content, text or page_content) and may have id,',
    'metadata, coordinates, score, retriever, category, expires_at. What else it',
    'has is kept in the metadata of the memory.',
    '',
    'A document becomes the same memory in every run: after a failure, run it',
    `again. Documents that are refused are listed, and it leaves with ${EXIT.usage}; the`,
    'others are in.',
    '',
    'Example: throughline memory import faiss.jsonl --user ada --dry-run',
    'To undo: throughline memory forget --user ada --source import:faiss.jsonl',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'whose memories they become (required)' },
    { flags: '--tenant <id>', description: 'tenant of the user (default: "local")' },
    { flags: '--category <name>', description: 'category of documents that name none (default: "facts")' },
    { flags: '--scope <name>', description: 'where they hold (default: everywhere)' },
    { flags: '--source <name>', description: 'name of the import (default: the name of the file)' },
    { flags: '--batch <count>', description: 'documents of one write (default: 500)' },
    { flags: '--dry-run', description: 'check everything, write nothing' },
  ],

  async run(input, { target, output }) {
    const { file, user: userId, source = nameOf(file), ...options } = parse(importInput, input)
    const start = performance.now()
    const { chunks, fractionRead } = await openInput(file, 'file')
    const { tenant, batch, dryRun, category, scope } = options
    const work = (tl: Throughline) =>
      withProgress((tell) => {
        // as the user: ids are theirs, and another may have the same
        const { memories } = tl.as({ tenant, userId })
        const onProgress = (counts: ImportCounts) => tell(() => progressText(counts), fractionRead())
        const destination = { tenant, userId, source, ...given({ category, scope }) }
        return importDocuments(memories, readDocuments(chunks), { ...destination, batch, dryRun, onProgress })
      })
    const imported = await withStore(target, work, { absent: dryRun ? 'memory' : 'make' })
    const seconds = Math.round(performance.now() - start) / 1000
    const report: ImportReport = { file, source: `import:${source}`, dryRun, seconds, ...imported }
    output.print(formatMemoryImport(report, output), report)
    return imported.refused === 0 ? EXIT.ok : EXIT.usage
  },
}

const nameOf = (file: string) => (file === '-' ? 'stdin' : basename(file))

function progressText({ read, refused }: ImportCounts): string {
  return `importing: ${pluralize(read, 'document')}${refused === 0 ? '' : `, ${refused.toLocaleString('en')} refused`}`
}
