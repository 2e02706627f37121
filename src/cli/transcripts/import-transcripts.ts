import { userInfo } from 'node:os'
import { normalize } from 'node:path'
import type { Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { name, parse } from '../../features/kernel/parse.ts'
import type { Context } from '../command.ts'
import { waitForStopSignal } from '../commands/serve.ts'
import { EXIT, EXIT_OF, type ExitCode } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { withProgress } from '../progress.ts'
import { withStore } from '../target.ts'
import { pluralize } from '../text.ts'
import { type FoundFiles, findFiles } from './find-files.ts'
import { followFiles } from './follow-files.ts'
import { formatBatch, formatRefusals, formatTranscriptImport, type TranscriptsReport } from './report.ts'
import { type TranscriptImport, TranscriptImporter } from './transcript-importer.ts'

/** What `import --from claude-code` takes. */
export interface ImportTranscripts {
  /** Files and folders. */
  readonly paths: readonly string[]
  /** Goes on with what comes, until Ctrl-C. @default false */
  readonly follow?: boolean | undefined
  /** Whose sessions they become. @default the user of this machine */
  readonly user?: string | undefined
  /** @default the tenant that the caller belongs to, else `local` */
  readonly tenant?: string | undefined
}

/** Takes transcripts of Claude Code in as sessions. What is in already stays, so that it can be repeated whenever there is more. */
export async function importTranscripts(
  { paths: given, follow: goesOn = false, user, tenant }: ImportTranscripts,
  { target, output }: Context,
): Promise<ExitCode | undefined> {
  if (given.length === 0) {
    throw new ValidationError('files', 'must name at least one file or folder, such as ~/.claude/projects')
  }
  if (given.includes('-')) {
    throw new ValidationError('files', 'must be files and folders: transcripts are not taken from stdin')
  }
  const paths = given.map(normalize)
  const work = async (tl: Throughline) => {
    const owner = { tenant: tenant ?? tl.principal?.tenant ?? 'local', userId: user ?? systemUser() }
    parse(name, owner.userId, 'user')
    parse(name, owner.tenant, 'tenant')
    const taking = new TranscriptImporter(tl, owner, goesOn)
    const walk = await findFiles(paths)
    const report = await importOnce(taking, walk)
    output.print(formatTranscriptImport(report, output), report)
    const isRefused = report.refused.length > 0
    if (!goesOn) return isRefused
    return (await followTranscripts(taking, paths, { walk, taken: { waiting: [], ...report } }, output)) || isRefused
  }
  return (await withStore(target, work, { absent: 'make' })) ? EXIT.refused : undefined
}

async function importOnce(taking: TranscriptImporter, { files, problems }: FoundFiles): Promise<TranscriptsReport> {
  const start = performance.now()
  const of = files.reduce((sum, { size }) => sum + size, 0)
  let bytes = 0
  const { waiting: _none, ...taken } = await withProgress((tell) =>
    taking.importFiles(files, {
      onBytes: (more) => {
        bytes += more
        tell(
          () => `importing: ${formatMegabytes(bytes)} of ${formatMegabytes(of)}, ${pluralize(files.length, 'file')}`,
          bytes / of,
        )
      },
    }),
  )
  const unread = problems.map((problem) => ({ ...problem, code: 'UNREADABLE' }))
  const seconds = Math.round(performance.now() - start) / 1000
  return { ...taken, refused: [...unread, ...taken.refused], seconds }
}

/** Gives whether anything was refused. */
async function followTranscripts(
  taking: TranscriptImporter,
  paths: readonly string[],
  first: { walk: FoundFiles; taken: TranscriptImport },
  output: Output,
): Promise<boolean> {
  const enough = new AbortController()
  void waitForStopSignal().then(() => enough.abort())
  output.say(output.paint('dim', 'Following; Ctrl-C ends it.'))
  let isRefused = false
  const onBatch = (taken: TranscriptImport) => {
    isRefused ||= taken.refused.length > 0
    output.print([formatBatch(taken, new Date()), ...formatRefusals(taken)].join('\n'), taken)
  }
  await followFiles(taking, paths, first, {
    signal: enough.signal,
    onBatch,
    onUnavailable: ({ code, message, details }) => {
      output.fail({ code, message: `${message}. Waiting for it; Ctrl-C ends it`, details, exitCode: EXIT_OF[code] })
    },
    onAvailable: () => output.say(output.paint('dim', 'It answers again; following.')),
  })
  return isRefused
}

const formatMegabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

/** The name of whoever is at this machine; not every system has one for each. */
function systemUser(): string {
  try {
    return userInfo().username || 'local'
  } catch {
    return 'local'
  }
}
