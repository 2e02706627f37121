import type { Throughline } from '../../api.ts'
import type { ExportCheck } from '../../features/transfer/checksum.ts'
import { exportLines } from '../../features/transfer/lines.ts'
import { given } from '../option-schemas.ts'
import { type ShowProgress, withProgress } from '../progress.ts'
import { type Target, withStore } from '../target.ts'
import { pluralize } from '../text.ts'
import { withInterruptMessage } from './interrupt-message.ts'
import { type PartialExport, readPartialExport } from './partial-export.ts'
import { writeToFile, writeToStdout } from './write-text.ts'

/** What a file holds of an export. */
export interface ExportReport {
  file: string
  sessions: number
  events: number
  /** The sum of its last line: equal for equal exports. */
  sum: string
  /** How the file came about: in one go, behind what was there of it, or by an earlier run. */
  was: 'written' | 'resumed' | 'complete'
}

const STOPPED = 'Stopped in the middle. To go on, run it again with --resume.'

/** Writes sessions to stdout. */
export async function exportToStdout(target: Target, session: string | undefined): Promise<void> {
  await withStore(target, (tl) =>
    withProgress((tell) =>
      writeToStdout(
        exportLines(tl.export({ ...given({ sessionId: session }), onProgress: reportProgress(tell) }), { of: session }),
      ),
    ),
  )
}

/** Writes sessions to a file, or goes on with what is there of it. */
export async function exportToFile(
  target: Target,
  { file, session, resume }: { file: string; session: string | undefined; resume: boolean },
): Promise<ExportReport> {
  const begun = resume
    ? await withProgress((tell) =>
        readPartialExport(file, session, (share) => tell(() => 'looking at what is there', share)),
      )
    : undefined
  if (begun?.isComplete) return { file, ...readTotals(begun.check), was: 'complete' }
  let last = ''
  await withStore(target, (tl) =>
    withProgress((tell) =>
      withInterruptMessage(STOPPED, () =>
        writeToFile(
          tapLines(linesOf(tl, session, begun, tell), (line) => (last = line)),
          file,
          begun?.size,
        ),
      ),
    ),
  )
  const { sessions, events, sum } = JSON.parse(last) as Omit<ExportReport, 'file' | 'was'>
  return { file, sessions, events, sum, was: begun?.check === undefined ? 'written' : 'resumed' }
}

function linesOf(tl: Throughline, sessionId: string | undefined, begun: PartialExport | undefined, tell: ShowProgress) {
  const { check } = begun ?? {}
  const after = check && { sessionId: check.session, sequence: check.sequence, done: check.done }
  const blocks = tl.export({ ...given({ sessionId, after }), onProgress: reportProgress(tell, check) })
  const lines = exportLines(blocks, { from: check, of: sessionId })
  // the first line is there already, and nothing else
  return begun !== undefined && check === undefined ? withoutFirst(lines) : lines
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

type OnProgress = NonNullable<NonNullable<Parameters<Throughline['export']>[0]>['onProgress']>

function reportProgress(tell: ShowProgress, before?: ExportCheck): OnProgress {
  return (progress) => {
    const sessions = progress.sessions + (before?.sessions ?? 0)
    const events = progress.events + (before?.events ?? 0)
    const { of } = progress
    const words = () => `exporting: ${pluralize(sessions, 'session')}, ${pluralize(events, 'event')}`
    tell(words, of.events === 0 ? 1 : events / of.events)
  }
}

function readTotals(check: ExportCheck | undefined): Pick<ExportReport, 'sessions' | 'events' | 'sum'> {
  const { sessions = 0, events = 0, total = '' } = check ?? {}
  return { sessions, events, sum: total }
}
