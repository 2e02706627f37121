import { userInfo } from 'node:os'
import { normalize } from 'node:path'
import type { Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { name, parse } from '../../features/kernel/parse.ts'
import { pricesFrom } from '../../open/prices.ts'
import { TRANSCRIPT_FORMATS, type TranscriptFormatName } from '../../transcripts/formats.ts'
import type { Context } from '../command.ts'
import { EXIT, EXIT_OF, type ExitCode } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { withProgress } from '../progress.ts'
import { stopSignal } from '../signals.ts'
import { withStore } from '../target.ts'
import { pluralize } from '../text.ts'
import { type FoundFiles, findFiles } from './find-files.ts'
import { followFiles } from './follow-files.ts'
import { formatBatch, formatRefusals, formatTranscriptImport, type TranscriptsReport } from './report.ts'
import { type TranscriptImport, TranscriptImporter } from './transcript-importer.ts'

/** Options of `import --from`. */
export interface ImportTranscripts {
  readonly from: TranscriptFormatName
  readonly paths: readonly string[]
  /** Keep importing new lines until Ctrl-C. @default false */
  readonly follow?: boolean | undefined
  /** Owner of the sessions. @default the system user */
  readonly user?: string | undefined
  /** @default the tenant of the caller, else `local` */
  readonly tenant?: string | undefined
  /** File with prices of models, to add the cost to usage. @default that of `THROUGHLINE_PRICES` */
  readonly prices?: string | undefined
}

/** Imports transcripts of a coding agent as sessions. Repeating it adds only new events. */
export async function importTranscripts(
  { from, paths: given, follow: isFollowing = false, user, tenant, prices: priceFile }: ImportTranscripts,
  { target, output }: Context,
): Promise<ExitCode | undefined> {
  const format = TRANSCRIPT_FORMATS[from]
  if (given.length === 0) {
    throw new ValidationError('files', `are required: name a file or folder, such as ${format.folder}`)
  }
  if (given.includes('-')) {
    throw new ValidationError('files', 'cannot be -: transcripts are read from files and folders only')
  }
  const paths = given.map(normalize)
  const prices = await pricesFrom(priceFile)
  const work = async (tl: Throughline) => {
    const owner = { tenant: tenant ?? tl.principal?.tenant ?? 'local', userId: user ?? systemUser() }
    parse(name, owner.userId, 'user')
    parse(name, owner.tenant, 'tenant')
    const importer = new TranscriptImporter(tl, format, owner, isFollowing, prices)
    const found = await findFiles(paths)
    const report = await importOnce(importer, found)
    output.print(formatTranscriptImport(report, output), report)
    const isRefused = report.refused.length > 0
    if (!isFollowing) return isRefused
    return (
      (await followTranscripts(importer, paths, { found, imported: { waiting: [], ...report } }, output)) || isRefused
    )
  }
  return (await withStore(target, work, { absent: 'create' })) ? EXIT.refused : undefined
}

async function importOnce(importer: TranscriptImporter, { files, problems }: FoundFiles): Promise<TranscriptsReport> {
  const start = performance.now()
  const of = files.reduce((sum, { size }) => sum + size, 0)
  let bytes = 0
  const { waiting: _none, ...imported } = await withProgress((showProgress) =>
    importer.importFiles(files, {
      onBytes: (more) => {
        bytes += more
        showProgress(
          () => `importing: ${formatMegabytes(bytes)} of ${formatMegabytes(of)}, ${pluralize(files.length, 'file')}`,
          bytes / of,
        )
      },
    }),
  )
  const unread = problems.map((problem) => ({ ...problem, code: 'UNREADABLE' }))
  const seconds = Math.round(performance.now() - start) / 1000
  return { ...imported, refused: [...unread, ...imported.refused], seconds }
}

/** Follows the files until Ctrl-C; returns whether anything was refused. */
async function followTranscripts(
  importer: TranscriptImporter,
  paths: readonly string[],
  first: { found: FoundFiles; imported: TranscriptImport },
  output: Output,
): Promise<boolean> {
  const signal = stopSignal()
  output.say(output.paint('dim', 'Following. Press Ctrl-C to stop.'))
  let isRefused = false
  const onBatch = (imported: TranscriptImport) => {
    isRefused ||= imported.refused.length > 0
    output.print([formatBatch(imported, new Date()), ...formatRefusals(imported)].join('\n'), imported)
  }
  await followFiles(importer, paths, first, {
    signal,
    onBatch,
    onUnavailable: ({ code, message, details }) => {
      output.fail({ code, message: `${message}. Retrying; press Ctrl-C to stop`, details, exitCode: EXIT_OF[code] })
    },
    onAvailable: () => output.say(output.paint('dim', 'The store answers again. Following.')),
  })
  return isRefused
}

const formatMegabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

/** Name of the system user; some systems have none. */
function systemUser(): string {
  try {
    return userInfo().username || 'local'
  } catch {
    return 'local'
  }
}
