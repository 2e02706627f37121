import { basename } from 'node:path'
import { z } from 'zod'
import { LIMITS } from '../../../domain/limits.ts'
import { defined } from '../../../domain/optional.ts'
import { name, tenantName } from '../../../features/kernel/parse.ts'
import { command } from '../../command.ts'
import { EXIT } from '../../exit-codes.ts'
import { openInput } from '../../input-file.ts'
import { type ImportCounts, importDocuments } from '../../memory/import-documents.ts'
import { formatMemoryImport, type ImportReport } from '../../memory/import-report.ts'
import { MAX_BYTES, readDocuments } from '../../memory/read-documents.ts'
import { category, MEMORY_OWNER, USER_TENANT, user, wholeNumber } from '../../option-schemas.ts'
import { withStore } from '../../target.ts'
import { pluralize } from '../../text.ts'

export const importCommand = command({
  usage: 'import <file>',
  summary: 'import documents of a vector store, such as a FAISS export, as memories',
  more: [
    'FILE is JSON Lines, a JSON array, { "documents": [...] } or a docstore { id:',
    'document }. Use - for stdin. JSON Lines may have any length; other formats are',
    `read into memory, up to ${MAX_BYTES / 1024 / 1024} MB.`,
    '',
    'A document has a text (content, text or page_content) and optionally id,',
    'metadata, coordinates, score, retriever, category and expires_at. Other keys',
    'are kept in the metadata of the memory.',
    '',
    'Safe to repeat: each document becomes the same memory every time. Refused',
    `documents are listed and the command exits with ${EXIT.usage}; all others are imported.`,
    '',
    'Example: throughline memory import faiss.jsonl --user ada --dry-run',
    'To undo: throughline memory forget --user ada --source import:faiss.jsonl',
  ].join('\n'),
  options: [
    MEMORY_OWNER,
    USER_TENANT,
    { flags: '--category <name>', description: 'category for documents without one (default: "facts")' },
    { flags: '--scope <name>', description: 'scope of the memories (default: everywhere)' },
    { flags: '--source <name>', description: 'name of the import (default: the file name)' },
    { flags: '--batch <count>', description: 'documents per write (default: 500)' },
    { flags: '--dry-run', description: 'check everything, write nothing' },
  ],
  input: z.strictObject({
    file: z.string(),
    user: user.pipe(name()),
    tenant: z._default(tenantName(), 'local'),
    category: category.optional(),
    scope: z.optional(name()),
    source: z.optional(name().check(z.maxLength(LIMITS.name - 'import:'.length))),
    batch: wholeNumber(1, LIMITS.memories).default(500),
    dryRun: z.boolean().default(false),
  }),

  async run({ file, user: userId, source = nameOf(file), ...options }, { target, output }) {
    const start = performance.now()
    const { chunks, fractionRead } = await openInput(file, 'file')
    const { tenant, batch, dryRun, category, scope } = options
    const destination = { tenant, userId, source, ...defined({ category, scope }) }
    const imported = await withStore(
      target,
      (tl, show) => {
        const onProgress = (counts: ImportCounts) => show(() => progressText(counts), fractionRead())
        // scoped to the user: another user may have a memory with the same id
        const { memories } = tl.as({ tenant, userId })
        return importDocuments(memories, readDocuments(chunks), { ...destination, batch, dryRun, onProgress })
      },
      { absent: dryRun ? 'memory' : 'create' },
    )
    const seconds = Math.round(performance.now() - start) / 1000
    const report: ImportReport = { file, source: `import:${source}`, dryRun, seconds, ...imported }
    output.print(formatMemoryImport(report, output), report)
    return imported.refused === 0 ? EXIT.ok : EXIT.usage
  },
})

const nameOf = (file: string) => (file === '-' ? 'stdin' : basename(file))

function progressText({ read, refused }: ImportCounts): string {
  return `importing: ${pluralize(read, 'document')}${refused === 0 ? '' : `, ${refused.toLocaleString('en')} refused`}`
}
