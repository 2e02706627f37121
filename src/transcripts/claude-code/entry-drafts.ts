import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { type Draft, rawDraft, textAt, textDraft } from '../draft.ts'
import { claudeType } from './claude-type.ts'
import { messageDrafts } from './message-drafts.ts'
import { isTypedByUser } from './user-text.ts'

/** Keys with the text of an entry that is not a message; the first non-empty one counts. */
const WORDS = ['content', 'summary', 'customTitle', 'aiTitle', 'title', 'lastPrompt', 'agentName', 'tag', 'prUrl']

/** Where entries of these types say what kind they are. */
const KINDS: Readonly<Record<string, readonly [key: string, inner?: string]>> = {
  system: ['subtype'],
  progress: ['data', 'type'],
  attachment: ['attachment', 'type'],
  'queue-operation': ['operation'],
}

/** Converts a line to one or more drafts. Unknown entries are kept as they are. */
export function draftsOf(value: Json): Draft[] {
  if (!isObject(value)) return [rawDraft(claudeType('value'), value)]
  return messageDrafts(value) ?? [queuedDraft(value) ?? otherDraft(value)]
}

/** Converts what the user typed while the agent was working. */
function queuedDraft(entry: JsonObject): Draft | undefined {
  const { attachment } = entry
  if (entry['type'] !== 'attachment' || textAt(attachment, 'type') !== 'queued_command') return undefined
  const { commandMode = 'prompt' } = attachment as JsonObject
  if (commandMode !== 'prompt' || !isTypedByUser(entry, textAt(attachment, 'prompt'))) return undefined
  return textDraft({ type: 'user_message', role: 'user' }, entry, ['attachment', 'prompt'])
}

function otherDraft(entry: JsonObject): Draft {
  const type = claudeType([textAt(entry, 'type'), kindOf(entry)].filter((name) => name !== '').join('.'))
  const key = WORDS.find((word) => textAt(entry, word) !== '')
  const draft = key === undefined ? undefined : textDraft({ type, role: 'system' }, entry, [key])
  return draft ?? rawDraft(type, entry)
}

function kindOf(entry: JsonObject): string {
  const [key, inner] = KINDS[textAt(entry, 'type')] ?? []
  if (key === undefined) return ''
  return inner === undefined ? textAt(entry, key) : textAt(entry[key], inner)
}
