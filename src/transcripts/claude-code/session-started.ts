import type { StartedParts } from '../../domain/fold.ts'
import type { JsonObject } from '../../domain/json.ts'
import { derivedId } from '../../features/kernel/derived-id.ts'
import { sanitizeText } from './sanitize.ts'
import type { SessionInfo } from './session-info.ts'

/** Whose sessions they become. */
export interface Owner {
  readonly tenant: string
  readonly userId: string
}

/** What is known of a session beside its lines. */
export interface Origin {
  /** Name of the file. */
  readonly file: string
  /** The session itself or, of a sub-agent, the one that it works for. */
  readonly conversationId: string
  /** Of the sub-agent. */
  readonly agentId?: string
}

/** The id that a session gets. */
export function sessionIdOf({ conversationId, agentId }: Omit<Origin, 'file'>): string {
  return agentId === undefined ? conversationId : derivedId(conversationId, agentId)
}

const CHATMODE = 'claude-code'
/** Characters of a name, and of what is put into the metadata. */
const MAX_NAME = 400
const MAX_FACT = 4096

/** What the session begins with. */
export function startedParts({ tenant, userId }: Owner, origin: Origin, { facts, task }: SessionInfo): StartedParts {
  const { file, conversationId, agentId } = origin
  const { gitBranch, ...others } = facts
  const told = Object.entries({ ...others, file }).filter(([, value]) => value !== '')
  const metadata: JsonObject = {
    source: CHATMODE,
    ...Object.fromEntries(told.map(([key, value]) => [key, sanitizeText(value, MAX_FACT)])),
    ...(agentId !== undefined && { parent: conversationId, agentId: sanitizeText(agentId, MAX_FACT) }),
  }
  return {
    tenant,
    userId,
    // a sub-agent has a scope of its own in the conversation
    chatmode: agentId === undefined ? CHATMODE : `${CHATMODE}:${uniqueName(agentId)}`,
    conversationId,
    agent: 'claude',
    ...(gitBranch !== '' && { gitBranch: sanitizeText(gitBranch, MAX_NAME) }),
    ...(task !== undefined && { task }),
    metadata,
  }
}

/** Two names that are too long, or not clean, are still two. */
function uniqueName(agentId: string): string {
  return agentId.length <= MAX_NAME && sanitizeText(agentId) === agentId ? agentId : derivedId(agentId)
}
