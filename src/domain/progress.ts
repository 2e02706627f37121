import { truncateText } from './graph.ts'
import type { SessionRecord, SessionStatus } from './record.ts'
import { formatCommand, oneLine } from './summary.ts'
import type { WorkSummary } from './work.ts'

/** Maximum characters per line, and lines per list. */
const MAX_COLUMNS = 100
const MAX_ROWS = 8

/** Describes the work so far and what the session waits for, in short lines of plain text. */
export function formatProgress(
  record: Pick<SessionRecord, 'task' | 'status' | 'startedAt'>,
  work: WorkSummary,
): string {
  const { omitted, turns, toolCalls, plans } = work
  const lists = [
    work.openSteps.length > 0 ? bullets('Still to do', work.openSteps, 0) : bullets('Plan', plans.slice(-1), 0),
    bullets('Decisions', work.decisions, omitted.decisions),
    bullets(
      'Files written',
      work.filesWritten.map(({ path }) => path),
      omitted.filesWritten,
    ),
    bullets('Files read', work.filesRead, omitted.filesRead),
    bullets('Commands', work.commands.map(formatCommand), omitted.commands),
  ].flat()
  return [
    `Task: ${oneLine(record.task) || 'not stated'}`,
    `Started: ${formatUtc(record.startedAt)}, ${pluralize(turns, 'turn')}, ${pluralize(toolCalls, 'tool call')} so far`,
    ...(lists.length === 0 ? ['No work recorded yet.'] : lists),
    formatStatus(record.status),
  ]
    .map((line) => truncateText(line, MAX_COLUMNS))
    .join('\n')
}

function bullets(name: string, items: readonly string[], omitted: number | undefined): string[] {
  if (items.length === 0) return []
  const shown = items.slice(-MAX_ROWS)
  const more = items.length - shown.length + (omitted ?? 0)
  return [
    `${name}${more === 0 ? '' : ` (the last ${shown.length} of ${shown.length + more})`}:`,
    ...shown.map((item) => `  - ${oneLine(item)}`),
  ]
}

function formatStatus(status: SessionStatus): string {
  switch (status.state) {
    case 'running':
      return 'Status: working.'
    case 'awaiting_user':
      return `Waiting for an answer: ${oneLine(status.question)}`
    case 'interrupted':
      return `Interrupted: ${oneLine(status.userMessage)}`
    case 'pending_complete':
      return `Waiting for confirmation: ${oneLine(status.summary)}`
    case 'complete':
      return 'Complete.'
    case 'aborted':
      return `Ended early: ${oneLine(status.reason)}`
  }
}

function pluralize(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

/** Formats a stored time for people: `2026-01-31 09:30 UTC`. */
export function formatUtc(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`
}
