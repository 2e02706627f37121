import type { StartedParts } from '../../domain/fold.ts'
import type { JsonObject } from '../../domain/json.ts'
import { derivedId } from '../../features/kernel/derived-id.ts'
import { cleanedText } from './cleaned.ts'
import type { Head } from './head.ts'

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
const NAME = 400
const FACT = 4096

/** What the session begins with. */
export function startedParts({ tenant, userId }: Owner, origin: Origin, { facts, task }: Head): StartedParts {
  const { file, conversationId, agentId } = origin
  const { gitBranch, ...others } = facts
  const told = Object.entries({ ...others, file }).filter(([, value]) => value !== '')
  const metadata: JsonObject = {
    source: CHATMODE,
    ...Object.fromEntries(told.map(([key, value]) => [key, cleanedText(value, FACT)])),
    ...(agentId !== undefined && { parent: conversationId, agentId: cleanedText(agentId, FACT) }),
  }
  return {
    tenant,
    userId,
    // a sub-agent has a scope of its own in the conversation
    chatmode: agentId === undefined ? CHATMODE : `${CHATMODE}:${nameFor(agentId)}`,
    conversationId,
    agent: 'claude',
    ...(gitBranch !== '' && { gitBranch: cleanedText(gitBranch, NAME) }),
    ...(task !== undefined && { task }),
    metadata,
  }
}

/** Two names that are too long, or not clean, are still two. */
function nameFor(agentId: string): string {
  return agentId.length <= NAME && cleanedText(agentId) === agentId ? agentId : derivedId(agentId)
}
