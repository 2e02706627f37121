import type { StartedParts } from '../../domain/fold.ts'
import type { JsonObject } from '../../domain/json.ts'
import { derivedId } from '../../features/kernel/derived-id.ts'
import { sanitizeText } from './sanitize.ts'
import type { SessionInfo } from './session-info.ts'

/** Owner of the imported sessions. */
export interface Owner {
  readonly tenant: string
  readonly userId: string
}

/** Facts about a session besides its lines. */
export interface Origin {
  /** Name of the file. */
  readonly file: string
  /** The session itself; for a sub-agent, the session it works for. */
  readonly conversationId: string
  /** Id of the sub-agent. */
  readonly agentId?: string
}

/** Returns the session's id. */
export function sessionIdOf({ conversationId, agentId }: Omit<Origin, 'file'>): string {
  return agentId === undefined ? conversationId : derivedId(conversationId, agentId)
}

const CHATMODE = 'claude-code'
/** Maximum characters of a name and of a metadata value. */
const MAX_NAME = 400
const MAX_FACT = 4096

/** Returns the parts of `session_started`. */
export function startedParts({ tenant, userId }: Owner, origin: Origin, { facts, task }: SessionInfo): StartedParts {
  const { file, conversationId, agentId } = origin
  const { gitBranch, ...others } = facts
  const known = Object.entries({ ...others, file }).filter(([, value]) => value !== '')
  const metadata: JsonObject = {
    source: CHATMODE,
    ...Object.fromEntries(known.map(([key, value]) => [key, sanitizeText(value, MAX_FACT)])),
    ...(agentId !== undefined && { parent: conversationId, agentId: sanitizeText(agentId, MAX_FACT) }),
  }
  return {
    tenant,
    userId,
    // a sub-agent has its own scope in the conversation
    chatmode: agentId === undefined ? CHATMODE : `${CHATMODE}:${uniqueName(agentId)}`,
    conversationId,
    agent: 'claude',
    ...(gitBranch !== '' && { gitBranch: sanitizeText(gitBranch, MAX_NAME) }),
    ...(task !== undefined && { task }),
    metadata,
  }
}

/** Returns a unique name even for names that are too long or invalid. */
function uniqueName(agentId: string): string {
  return agentId.length <= MAX_NAME && sanitizeText(agentId) === agentId ? agentId : derivedId(agentId)
}
