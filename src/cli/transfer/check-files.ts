import type { SessionBlock } from '../../api.ts'
import { ThroughlineError, ValidationError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import { checkedBlock, folded } from '../../features/transfer/checked-block.ts'
import type { Output } from '../output.ts'
import { withProgress } from '../progress.ts'
import { pluralize, sanitizeLines } from '../text.ts'
import type { ExportFiles } from './export-files.ts'

/** Result of checking export files. */
export interface CheckReport {
  files: number
  /** Complete sessions that a store would accept, as far as that is known without one. */
  sessions: number
  /** Events of those sessions. */
  events: number
  ok: boolean
  damaged: { file: string; message: string }[]
  /** Sessions that every store refuses. */
  refused: { file: string; sessionId: string; code: string; message: string }[]
}

/** Verifies checksums and validates every event like an import. Holds one block at a time; needs no store. */
export async function checkFiles(source: ExportFiles, files: number): Promise<CheckReport> {
  const report: CheckReport = { files, sessions: 0, events: 0, ok: true, damaged: [], refused: [] }
  const log = new LogChecker()
  await withProgress(async (showProgress) => {
    for await (const block of source.blocks) {
      const error = log.add(block)
      const { sessionId, done } = block
      if (error !== undefined) {
        report.refused.push({ file: source.file(), sessionId, code: error.code, message: error.message })
      }
      if (done && !log.isRefused) {
        report.sessions += 1
        report.events += log.head
      }
      showProgress(() => `checking: ${pluralize(report.sessions, 'session')}`, source.fractionRead())
    }
  })
  report.damaged = source.damaged.map(({ file, error }) => ({ file, message: error.message }))
  report.ok = report.damaged.length === 0 && report.refused.length === 0
  return report
}

/** Validates the log of one session, block by block. */
class LogChecker {
  isRefused = false
  head = 0
  #sessionId = ''
  #view: SessionView | undefined

  /** Returns the error of a block; once per refused session. */
  add(block: SessionBlock): ThroughlineError | undefined {
    if (block.sessionId !== this.#sessionId || block.events[0]?.sequence === 1) this.#begin(block.sessionId)
    if (this.isRefused) return undefined
    try {
      const { sessionId, events } = checkedBlock(block)
      if (events[0]?.sequence !== this.head + 1) {
        throw new ValidationError('events[0].sequence', `must be ${this.head + 1}: earlier events are missing`)
      }
      this.#view = folded(sessionId, events, this.#view).view
      this.head += events.length
      return undefined
    } catch (error) {
      if (!(error instanceof ThroughlineError)) throw error
      this.isRefused = true
      return error
    }
  }

  #begin(sessionId: string): void {
    this.#sessionId = sessionId
    this.#view = undefined
    this.head = 0
    this.isRefused = false
  }
}

/** Maximum number of problems to print. */
const SHOWN = 20

/** Formats the report: problems and intact counts. */
export function formatCheck({ files, sessions, events, ok, damaged, refused }: CheckReport, { paint }: Output): string {
  const counts = `${pluralize(files, 'file')}, ${pluralize(sessions, 'session')}, ${pluralize(events, 'event')}`
  if (ok) return `${paint('green', 'ok')}  ${counts}`
  const problems = [
    ...damaged.map(({ message }) => message),
    ...refused.map(({ file, sessionId, code, message }) => `${file}, session ${sessionId}: ${code}: ${message}`),
  ]
  const more = problems.length - SHOWN
  return [
    ...problems.slice(0, SHOWN).map(sanitizeLines),
    ...(more > 0 ? [`and ${more.toLocaleString('en')} more; --json lists all`] : []),
    `${paint('red', 'damaged')}  intact: ${counts}`,
  ].join('\n')
}
