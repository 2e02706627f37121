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
