import type { StartedParts } from '../domain/fold.ts'
import type { JsonObject } from '../domain/json.ts'
import { defined } from '../domain/optional.ts'
import type { ParentLink } from '../domain/record.ts'
import { derivedId } from '../features/kernel/derived-id.ts'
import { type Facts, METADATA_FACTS, type SessionIdentity, type TranscriptFormat } from './format.ts'
import { sanitizeText } from './sanitize.ts'

/** Owner of the imported sessions. */
export interface Owner {
  readonly tenant: string
  readonly userId: string
}

/** A session to start. */
export interface SessionStart extends SessionIdentity {
  /** Name of its file. */
  readonly file: string
  readonly facts: Facts
  readonly task: string | undefined
  readonly parent: ParentLink | undefined
  /** The session that it continues, which has ended. */
  readonly continues: string | undefined
}

/** Maximum characters of a name and of a metadata value. */
const MAX_NAME = 400
const MAX_FACT = 4096

/** Returns the parts of `session_started`. */
export function startedParts(
  { name, agent }: TranscriptFormat,
  { tenant, userId }: Owner,
  { file, sessionId, conversationId, agentId, facts, task, parent, continues }: SessionStart,
): StartedParts {
  const { gitBranch } = facts
  const scope = agentId ?? (sessionId === conversationId ? undefined : sessionId)
  const known = METADATA_FACTS.map((fact) => [fact, facts[fact]] as const)
  const texts = [...known, ['file', file], ['agentId', agentId], ['continues', continues]] as const
  const metadata: JsonObject = { source: name }
  for (const [key, value] of texts) {
    if (value !== undefined) Object.assign(metadata, { [key]: sanitizeText(value, MAX_FACT) })
  }
  return defined({
    tenant,
    userId,
    // a sub-agent, and each further session, has its own scope in the conversation
    chatmode: scope === undefined ? name : `${name}:${uniqueName(scope)}`,
    conversationId,
    agent,
    gitBranch: gitBranch && sanitizeText(gitBranch, MAX_NAME),
    task,
    metadata,
    parent,
  })
}

/** Returns a unique name even for names that are too long or invalid. */
function uniqueName(agentId: string): string {
  return agentId.length <= MAX_NAME && sanitizeText(agentId) === agentId ? agentId : derivedId(agentId)
}
