import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { type Draft, ownType, textIn, without } from './draft.ts'
import { messageDrafts } from './message.ts'
import { isSpoken } from './speech.ts'

/** Keys that hold the words of an entry, where it is no message; of several the first that says anything counts. */
const WORDS = ['content', 'summary', 'customTitle', 'aiTitle', 'title', 'lastPrompt', 'agentName', 'tag', 'prUrl']

/** What a line says, as one event or several. What is not known is kept as it is. */
export function draftsOf(value: Json): Draft[] {
  if (!isObject(value)) return [kept('value', value)]
  return messageDrafts(value) ?? [queuedDraft(value) ?? otherDraft(value)]
}

/** What the user said while the agent was working. */
function queuedDraft(entry: JsonObject): Draft | undefined {
  const { attachment } = entry
  if (entry['type'] !== 'attachment' || textIn(attachment, 'type') !== 'queued_command') return undefined
  const { commandMode = 'prompt' } = attachment as JsonObject
  const content = textIn(attachment, 'prompt')
  if (commandMode !== 'prompt' || content === '' || !isSpoken(entry, content)) return undefined
  const rest = { ...entry, attachment: without(attachment as JsonObject, 'prompt') }
  const keeps = { at: ['attachment', 'prompt'], entry: rest }
  return { type: 'user_message', role: 'user', content, means: {}, keeps }
}

function otherDraft(entry: JsonObject): Draft {
  const subtype = entry['type'] === 'system' ? textIn(entry, 'subtype') : ''
  const name = subtype === '' ? textIn(entry, 'type') : `system.${subtype}`
  const key = WORDS.find((word) => textIn(entry, word) !== '')
  if (key === undefined) return kept(name, entry)
  return { ...kept(name, entry), content: textIn(entry, key), keeps: { at: [key], entry: without(entry, key) } }
}

function kept(name: string, entry: Json): Draft {
  return { type: ownType(name), role: 'system', content: '', means: {}, keeps: { entry } }
}
