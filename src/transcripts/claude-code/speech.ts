import type { JsonObject } from '../../domain/json.ts'

/** What the program puts among the messages of the user: outputs of commands, reminders, what the editor shows. */
const NOT_SPOKEN =
  /^\s*<(?:local-command-[a-z]+|bash-std(?:out|err)|system-reminder|task-notification|ide_[a-z_]+|[a-z-]+-hook)[\s>]/
const INTERRUPTED = /^\[Request interrupted by user(?: for tool use)?\]$/

/** Whether the text of a user's entry is what the user said: only that begins a turn. */
export function isSpoken(entry: JsonObject, text: string): boolean {
  const isMade = entry['isMeta'] === true || entry['isCompactSummary'] === true
  return !isMade && !NOT_SPOKEN.test(text) && !INTERRUPTED.test(text.trim())
}

const COMMAND = /<command-name>\s*([^<]*?)\s*<\/command-name>/
const ARGUMENTS = /<command-args>\s*([\s\S]*?)\s*<\/command-args>/
const SHELL = /^\s*<bash-input>\s*([\s\S]*?)\s*<\/bash-input>/

/** What the user typed where it was a command: `/review the parser`, `! ls`. */
export function commandIn(text: string): string | undefined {
  const name = COMMAND.exec(text)?.[1]
  if (name !== undefined) return `${name} ${ARGUMENTS.exec(text)?.[1] ?? ''}`.trim()
  const line = SHELL.exec(text)?.[1]
  return line === undefined ? undefined : `! ${line}`
}
