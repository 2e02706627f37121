import type { Commit } from '../api.ts'
import type { Output } from './output.ts'
import { table } from './table.ts'
import { counted, printable } from './text.ts'

/** One line of a commit; those after the first of a part have no label. */
interface CommitRow {
  label: string
  text: string
}

/** Lines of each list that are shown; `--json` has all of them. */
const SHOWN = 20

/** A commit for people: what was done, and the events it stands for. */
export function commitText(commit: Commit, { paint }: Output): string {
  return table(commitRows(commit), [
    { value: ({ label }) => label, paint: (text) => paint('bold', text) },
    { value: ({ text }) => text },
  ])
}

/** A commit, line by line. Parts that hold nothing are left out. */
function commitRows(commit: Commit): CommitRow[] {
  const { id, sessionId, position, kind, parent, summarizedBy, fallback, range, hash, at } = commit
  return [
    ...part('commit', [`${id}, number ${position} of its conversation, ${kind}`]),
    ...part('parent', parent === undefined ? [] : [parent]),
    ...part('session', [sessionId]),
    ...part('made', [`${at}, summary: ${summarizedBy ?? 'unknown'}${fallback === undefined ? '' : ` (${fallback})`}`]),
    ...part('summary', commit.summary.split('\n')),
    ...part('decisions', commit.decisions),
    ...part('written', commit.filesWritten.map(written)),
    ...part('read', commit.filesRead),
    ...part('commands', commit.commands.map(outcome)),
    ...part('open', commit.openQuestions),
    ...part('events', range === undefined ? [] : [`${range.from} to ${range.to}`]),
    ...part('sha256', hash === undefined ? [] : [hash]),
  ]
}

function part(label: string, texts: readonly string[]): CommitRow[] {
  const lines = texts.map(printable).filter((text) => text.trim() !== '')
  const more = lines.length - SHOWN
  const shown = more > 0 ? [...lines.slice(0, SHOWN), `and ${counted(more, 'more line')}`] : lines
  return shown.map((text, i) => ({ label: i === 0 ? label : '', text }))
}

function written({ path, bytes }: Commit['filesWritten'][number]): string {
  return bytes === undefined ? path : `${path}, ${counted(bytes, 'byte')}`
}

function outcome({ command, exitCode }: Commit['commands'][number]): string {
  if (exitCode === undefined) return command
  return `${command}: ${exitCode === 0 ? 'passed' : `failed with ${exitCode}`}`
}
