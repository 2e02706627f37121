import type { Throughline } from '../../api.ts'
import { defined } from '../../domain/optional.ts'
import type { ExportCheck } from '../../features/transfer/checksum.ts'
import { exportLines } from '../../features/transfer/lines.ts'
import { type ShowProgress, sessionProgress, withProgress } from '../progress.ts'
import { type Target, withStore } from '../target.ts'
import { writeToFile, writeToStdout } from '../write-lines.ts'
import { withInterruptMessage } from './interrupt-message.ts'
import { type PartialExport, readPartialExport } from './partial-export.ts'

/** Result of an export to a file. */
export interface ExportReport {
  file: string
  sessions: number
  events: number
  /** Checksum of the export: equal for equal exports. */
  sum: string
  /** Written from the start, continued, or already complete. */
  was: 'written' | 'resumed' | 'complete'
}

const STOPPED_MESSAGE = 'Stopped. To continue, run it again with --resume.'

/** Writes sessions to stdout. */
export async function exportToStdout(target: Target, session: string | undefined): Promise<void> {
  await withStore(target, (tl, show) => writeToStdout(chunk(linesOf(tl, session, undefined, show))))
}

/** Writes sessions to a file, or continues an incomplete one. */
export async function exportToFile(
  target: Target,
  { file, session, resume }: { file: string; session: string | undefined; resume: boolean },
): Promise<ExportReport> {
  const partial = resume
    ? await withProgress((showProgress) =>
        readPartialExport(file, session, (share) => showProgress(() => 'reading the existing file', share)),
      )
    : undefined
  if (partial?.isComplete) return { file, ...readTotals(partial.check), was: 'complete' }
  let last = ''
  await withStore(target, (tl, show) => {
    const lines = tapLines(linesOf(tl, session, partial, show), (line) => (last = line))
    return withInterruptMessage(STOPPED_MESSAGE, () => writeToFile(chunk(lines), file, partial?.size))
  })
  const { sessions, events, sum } = JSON.parse(last) as Omit<ExportReport, 'file' | 'was'>
  return { file, sessions, events, sum, was: partial?.check === undefined ? 'written' : 'resumed' }
}

function linesOf(
  tl: Throughline,
  sessionId: string | undefined,
  partial: PartialExport | undefined,
  showProgress: ShowProgress,
) {
  const { check } = partial ?? {}
  const after = check && { sessionId: check.session, sequence: check.sequence, done: check.done }
  const blocks = tl.export({
    ...defined({ sessionId, after }),
    onProgress: sessionProgress(showProgress, 'exporting:', check),
  })
  const lines = exportLines(blocks, { from: check, of: sessionId })
  // the file already has the header line
  return partial !== undefined && check === undefined ? withoutFirst(lines) : lines
}

async function* withoutFirst(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true
  for await (const line of lines) {
    if (!isFirst) yield line
    isFirst = false
  }
}

async function* tapLines(lines: AsyncIterable<string>, onLine: (line: string) => void): AsyncGenerator<string> {
  for await (const line of lines) {
    onLine(line)
    yield line
  }
}

/** Characters per write: one system call per line took longer than the export itself. */
const CHUNK_LENGTH = 256 * 1024

async function* chunk(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let text = ''
  for await (const line of lines) {
    text += line
    if (text.length < CHUNK_LENGTH) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

function readTotals(check: ExportCheck | undefined): Pick<ExportReport, 'sessions' | 'events' | 'sum'> {
  const { sessions = 0, events = 0, total = '' } = check ?? {}
  return { sessions, events, sum: total }
}
