import { truncateText } from './graph.ts'
import type { SessionRecord, SessionStatus } from './record.ts'
import { hasFailed, type WorkSummary } from './work.ts'

/** Input of a summary. */
export interface SummaryInput {
  task?: string | undefined
  work: WorkSummary
  lastModelMessage?: string | undefined
  /** What the agent proposed as the summary of its work. */
  proposed?: string | undefined
}

/** Maximum characters per part; with their headings the summary stays below 2,000. */
const MAX_LENGTH = { task: 260, concluded: 640, list: 240 } as const

/**
 * Summarizes by rules: deterministic, at most 2,000 characters, never empty. The conclusion is the agent's proposal,
 * else the first sentences of its last message.
 */
export function extractiveSummary({ task, work, lastModelMessage, proposed }: SummaryInput): string {
  const { omitted } = work
  const written = work.filesWritten.map(({ path }) => path)
  const parts = [
    ['Task', truncateText(oneLine(task), MAX_LENGTH.task)],
    ['Concluded', firstSentences(oneLine(proposed) || oneLine(lastModelMessage), MAX_LENGTH.concluded)],
    ['Files written', formatList(written, omitted.filesWritten, ', ')],
    ['Commands', formatList(work.commands.map(formatCommand), omitted.commands, '; ')],
    ['Decisions', formatList(work.decisions, omitted.decisions, '; ')],
    ['Open questions', formatList(work.openQuestions, 0, ' ')],
  ] as const
  const lines = parts.flatMap(([name, text]) => (text === '' ? [] : [`${name}: ${text}`]))
  return lines.length === 0 ? 'No work was recorded.' : lines.join('\n')
}

/** Characters read of a text. */
const MAX_READ = 64 * 1024

/** Collapses all white space. Of a longer text only the start: every use cuts the result. */
function oneLine(text: string | undefined): string {
  return (text ?? '').slice(0, MAX_READ).replace(/\s+/g, ' ').trim()
}

/** Returns the whole sentences that fit, or the start of the first. */
function firstSentences(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = text.slice(0, limit).search(/[.!?。！？](?=\s)(?!.*[.!?。！？]\s)/)
  return end < 1 ? truncateText(text, limit) : text.slice(0, end + 1)
}

/** Lists the newest items that fit, in order, and counts the rest. */
function formatList(items: readonly string[], omitted: number | undefined, separator: string): string {
  const kept: string[] = []
  let room: number = MAX_LENGTH.list
  for (const item of items.toReversed()) {
    // half a list at most, so one long item does not hide the others
    const text = truncateText(oneLine(item), MAX_LENGTH.list / 2)
    room -= text.length + separator.length
    if (room < 0) break
    kept.unshift(text)
  }
  const more = items.length - kept.length + (omitted ?? 0)
  return more === 0 ? kept.join(separator) : `${kept.join(separator)} (and ${more} more)`
}

function formatCommand({ command, exitCode }: WorkSummary['commands'][number]): string {
  const name = truncateText(oneLine(command), 80)
  if (exitCode === undefined) return name
  return hasFailed({ exitCode }) ? `${name} failed with ${exitCode}` : `${name} passed`
}

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
    bullets('Plan', plans.slice(-1), 0),
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
