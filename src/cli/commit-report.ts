import type { Commit } from '../api.ts'
import type { Output } from './output.ts'
import { type Fact, renderFacts } from './table.ts'
import { pluralize, sanitizeLine } from './text.ts'

/** Maximum lines per section; `--json` prints all. */
const SHOWN = 20

/** Formats a commit: what was done and which events it covers. */
export function formatCommit(commit: Commit, output: Output): string {
  return renderFacts(listFacts(commit), output)
}

/** A commit line by line. Empty sections are left out. */
function listFacts(commit: Commit): Fact[] {
  const { id, sessionId, position, kind, parent, summarizedBy, fallback, range, hash, at } = commit
  return [
    ...section('commit', [`${id} (${kind}, number ${position} of its conversation)`]),
    ...section('parent', parent === undefined ? [] : [parent]),
    ...section('session', [sessionId]),
    ...section('created', [
      `${at}, summary: ${summarizedBy ?? 'unknown'}${fallback === undefined ? '' : ` (${fallback})`}`,
    ]),
    ...section('summary', commit.summary.split('\n')),
    ...section('decisions', commit.decisions),
    ...section('written', commit.filesWritten.map(formatFile)),
    ...section('read', commit.filesRead),
    ...section('commands', commit.commands.map(formatCommand)),
    ...section('questions', commit.openQuestions),
    ...section('events', range === undefined ? [] : [`${range.from} to ${range.to}`]),
    ...section('sha256', hash === undefined ? [] : [hash]),
  ]
}

function section(label: string, texts: readonly string[]): Fact[] {
  const lines = texts.map(sanitizeLine).filter((text) => text.trim() !== '')
  const more = lines.length - SHOWN
  const shown = more > 0 ? [...lines.slice(0, SHOWN), `and ${pluralize(more, 'more line')}`] : lines
  return shown.map((text, i) => [i === 0 ? label : '', text])
}

function formatFile({ path, bytes }: Commit['filesWritten'][number]): string {
  return bytes === undefined ? path : `${path}, ${pluralize(bytes, 'byte')}`
}

function formatCommand({ command, exitCode }: Commit['commands'][number]): string {
  if (exitCode === undefined) return command
  return `${command}: ${exitCode === 0 ? 'passed' : `failed with exit code ${exitCode}`}`
}
