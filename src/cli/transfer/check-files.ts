import type { SessionBlock } from '../../api.ts'
import { ThroughlineError, ValidationError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import { checkedBlock, folded } from '../../features/transfer/checked-block.ts'
import type { Output } from '../output.ts'
import { withProgress } from '../progress.ts'
import { pluralize, sanitizeLines } from '../text.ts'
import type { ExportFiles } from './export-files.ts'

/** What a look at files of exports found. */
export interface CheckReport {
  files: number
  /** Sessions that are whole, and that a store would take as far as it can be known without one. */
  sessions: number
  /** Events of those sessions. */
  events: number
  ok: boolean
  damaged: { file: string; message: string }[]
  /** Sessions that no store would take. */
  refused: { file: string; sessionId: string; code: string; message: string }[]
}

/** Compares files with their sums, and looks at each event as an import would. Holds one block at a time, and needs no store. */
export async function checkFiles(source: ExportFiles, files: number): Promise<CheckReport> {
  const report: CheckReport = { files, sessions: 0, events: 0, ok: true, damaged: [], refused: [] }
  const log = new LogChecker()
  await withProgress(async (tell) => {
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
      tell(() => `checking: ${pluralize(report.sessions, 'session')}`, source.fractionRead())
    }
  })
  report.damaged = source.damaged.map(({ file, error }) => ({ file, message: error.message }))
  report.ok = report.damaged.length === 0 && report.refused.length === 0
  return report
}

/** The log of the session that is being read, as far as it has come. */
class LogChecker {
  isRefused = false
  head = 0
  #sessionId = ''
  #view: SessionView | undefined

  /** What is wrong with the block; of a session that was refused only the first time. */
  add(block: SessionBlock): ThroughlineError | undefined {
    if (block.sessionId !== this.#sessionId || block.events[0]?.sequence === 1) this.#begin(block.sessionId)
    if (this.isRefused) return undefined
    try {
      const { sessionId, events } = checkedBlock(block)
      if (events[0]?.sequence !== this.head + 1) {
        throw new ValidationError('events[0].sequence', `must be ${this.head + 1}: what comes before it is missing`)
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

/** Problems that are shown to people. */
const SHOWN = 20

/** The report for people: what is wrong, and how much is whole. */
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
    ...(more > 0 ? [`and ${more.toLocaleString('en')} more; --json names them all`] : []),
    `${paint('red', 'damaged')}  ${counts} that are whole`,
  ].join('\n')
}
