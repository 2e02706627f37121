import type { JsonObject } from '../../domain/json.ts'
import { textAt } from '../draft.ts'

/** Text that the program adds to user messages: command output, reminders, editor context. */
const GENERATED =
  /^\s*<(?:local-command-[a-z]+|bash-std(?:out|err)|system-reminder|task-notification|ide_[a-z_]+|[a-z-]+-hook)[\s>]/
const INTERRUPTED = /^\[Request interrupted by user(?: for tool use)?\]$/

/** Whether the user typed the text of an entry: only that starts a turn. */
export function isTypedByUser(entry: JsonObject, text: string): boolean {
  const isMade = entry['isMeta'] === true || entry['isCompactSummary'] === true
  // newer versions say where a message comes from, such as `task-notification`
  const origin = textAt(entry['origin'], 'kind')
  const isOthers = origin !== '' && origin !== 'human'
  return !isMade && !isOthers && !GENERATED.test(text) && !INTERRUPTED.test(text.trim())
}

/** Returns a typed command: `/review the parser`, `! ls`. */
export function parseCommand(text: string): string | undefined {
  const name = textInTag(text, 'command-name')
  if (name !== undefined && !name.includes('<')) return `${name} ${textInTag(text, 'command-args') ?? ''}`.trim()
  const line = text.trimStart().startsWith('<bash-input>') ? textInTag(text, 'bash-input') : undefined
  return line === undefined ? undefined : `! ${line}`
}

/** Returns the text between two tags. A pattern took cubic time for a tag, blanks and no end tag. */
function textInTag(text: string, tag: string): string | undefined {
  const open = `<${tag}>`
  const start = text.indexOf(open)
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start)
  return end < 0 ? undefined : text.slice(start + open.length, end).trim()
}
