import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { customType, type Draft, omitKeys, textAt } from './draft.ts'
import { messageDrafts } from './message-drafts.ts'
import { isTypedByUser } from './user-text.ts'

/** Keys with the text of an entry that is not a message; the first non-empty one counts. */
const WORDS = ['content', 'summary', 'customTitle', 'aiTitle', 'title', 'lastPrompt', 'agentName', 'tag', 'prUrl']

/** Converts a line to one or more drafts. Unknown entries are kept as they are. */
export function draftsOf(value: Json): Draft[] {
  if (!isObject(value)) return [rawDraft('value', value)]
  return messageDrafts(value) ?? [queuedDraft(value) ?? otherDraft(value)]
}

/** Converts what the user typed while the agent was working. */
function queuedDraft(entry: JsonObject): Draft | undefined {
  const { attachment } = entry
  if (entry['type'] !== 'attachment' || textAt(attachment, 'type') !== 'queued_command') return undefined
  const { commandMode = 'prompt' } = attachment as JsonObject
  const content = textAt(attachment, 'prompt')
  if (commandMode !== 'prompt' || content === '' || !isTypedByUser(entry, content)) return undefined
  const rest = { ...entry, attachment: omitKeys(attachment as JsonObject, 'prompt') }
  const raw = { at: ['attachment', 'prompt'], entry: rest }
  return { type: 'user_message', role: 'user', content, parts: {}, raw }
}

function otherDraft(entry: JsonObject): Draft {
  const subtype = entry['type'] === 'system' ? textAt(entry, 'subtype') : ''
  const name = subtype === '' ? textAt(entry, 'type') : `system.${subtype}`
  const key = WORDS.find((word) => textAt(entry, word) !== '')
  if (key === undefined) return rawDraft(name, entry)
  return { ...rawDraft(name, entry), content: textAt(entry, key), raw: { at: [key], entry: omitKeys(entry, key) } }
}

function rawDraft(name: string, entry: Json): Draft {
  return { type: customType(name), role: 'system', content: '', parts: {}, raw: { entry } }
}
