import type { Commit } from '../api.ts'
import type { Output } from './output.ts'
import { renderTable } from './table.ts'
import { pluralize, sanitizeLine } from './text.ts'

/** One line of a commit; those after the first of a part have no label. */
interface CommitRow {
  label: string
  text: string
}

/** Lines of each list that are shown; `--json` has all of them. */
const SHOWN = 20

/** A commit for people: what was done, and the events it stands for. */
export function formatCommit(commit: Commit, { paint }: Output): string {
  return renderTable(commitRows(commit), [
    { value: ({ label }) => label, paint: (text) => paint('bold', text) },
    { value: ({ text }) => text },
  ])
}

/** A commit, line by line. Parts that hold nothing are left out. */
function commitRows(commit: Commit): CommitRow[] {
  const { id, sessionId, position, kind, parent, summarizedBy, fallback, range, hash, at } = commit
  return [
    ...section('commit', [`${id}, number ${position} of its conversation, ${kind}`]),
    ...section('parent', parent === undefined ? [] : [parent]),
    ...section('session', [sessionId]),
    ...section('made', [
      `${at}, summary: ${summarizedBy ?? 'unknown'}${fallback === undefined ? '' : ` (${fallback})`}`,
    ]),
    ...section('summary', commit.summary.split('\n')),
    ...section('decisions', commit.decisions),
    ...section('written', commit.filesWritten.map(formatFile)),
    ...section('read', commit.filesRead),
    ...section('commands', commit.commands.map(formatCommand)),
    ...section('open', commit.openQuestions),
    ...section('events', range === undefined ? [] : [`${range.from} to ${range.to}`]),
    ...section('sha256', hash === undefined ? [] : [hash]),
  ]
}

function section(label: string, texts: readonly string[]): CommitRow[] {
  const lines = texts.map(sanitizeLine).filter((text) => text.trim() !== '')
  const more = lines.length - SHOWN
  const shown = more > 0 ? [...lines.slice(0, SHOWN), `and ${pluralize(more, 'more line')}`] : lines
  return shown.map((text, i) => ({ label: i === 0 ? label : '', text }))
}

function formatFile({ path, bytes }: Commit['filesWritten'][number]): string {
  return bytes === undefined ? path : `${path}, ${pluralize(bytes, 'byte')}`
}

function formatCommand({ command, exitCode }: Commit['commands'][number]): string {
  if (exitCode === undefined) return command
  return `${command}: ${exitCode === 0 ? 'passed' : `failed with ${exitCode}`}`
}
