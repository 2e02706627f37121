import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import { textAt } from '../draft.ts'
import type { Facts, LineTranslator, Translation } from '../format.ts'
import { parseUuid } from '../uuid.ts'
import { draftsOf } from './entry-drafts.ts'
import { MessageUsage } from './usage.ts'

/** Keys of an entry that are facts about its session. */
const FACTS = ['cwd', 'version', 'gitBranch', 'slug', 'entrypoint'] as const

/** Translates the lines of a session or of a sub-agent. */
export class ClaudeCodeTranslator implements LineTranslator {
  readonly #usage: MessageUsage

  constructor(conversationId: string) {
    this.#usage = new MessageUsage(conversationId)
  }

  translate(value: Json): Translation {
    const drafts = draftsOf(value)
    if (!isObject(value)) return { drafts }
    const facts = factsOf(value)
    if (value['type'] === 'assistant') return { drafts: this.#usage.addTo(drafts, value), facts }
    return defined({ drafts, facts, started: startedBy(value) })
  }
}

function factsOf(entry: JsonObject): Facts {
  const facts: Facts = {}
  for (const key of FACTS) facts[key] = textAt(entry, key)
  const sessionId = textAt(entry, 'type') === '' ? undefined : parseUuid(entry['sessionId'])
  return sessionId === undefined ? facts : { ...facts, sessionId }
}

/** The call that started a sub-agent, in its first progress, or else in its result. */
function startedBy(entry: JsonObject): Translation['started'] {
  const { data, toolUseResult, message } = entry
  if (textAt(data, 'type') === 'agent_progress') {
    return linkOf(textAt(entry, 'parentToolUseID'), textAt(data, 'agentId'))
  }
  const agentId = textAt(toolUseResult, 'agentId')
  const content = agentId !== '' && isObject(message) ? message['content'] : undefined
  const results = Array.isArray(content) ? (content as readonly Json[]) : []
  return linkOf(results.map((block) => textAt(block, 'tool_use_id')).find((id) => id !== '') ?? '', agentId)
}

function linkOf(callId: string, agentId: string): Translation['started'] {
  return callId === '' || agentId === '' ? undefined : { callId, agentId }
}
