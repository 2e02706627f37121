import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defined } from '../../domain/optional.ts'
import {
  type AgentOrigin,
  type Facts,
  type LineSorter,
  MAIN,
  type SessionIdentity,
  type TranscriptFormat,
  type TranscriptName,
} from '../format.ts'
import { isEntry } from './entry.ts'
import { parseName } from './name.ts'
import { CodexTranslator } from './translator.ts'

/** A rollout has one session. */
const ONE_SESSION: LineSorter = { needs: () => false, sessionOf: () => MAIN }

/** Rollouts of Codex CLI, which it writes below `~/.codex/sessions`. */
export const codex: TranscriptFormat = {
  name: 'codex',
  title: 'Codex',
  folder: '~/.codex/sessions',
  agent: 'codex',
  agentTools: new Set(['spawn_agent']),
  hasLateUsage: true,
  parseName,
  isEntry,
  newSorter: () => ONE_SESSION,
  newTranslator: () => new CodexTranslator(),
  identify,
  findOrigin,
}

function identify(name: TranscriptName, facts: Facts): SessionIdentity {
  const { sessionId: threadId, rootId, parentId } = facts
  const sessionId = name.sessionId ?? threadId ?? name.fallback
  if (parentId === undefined || parentId === sessionId) return { sessionId, conversationId: threadId ?? sessionId }
  return { sessionId, conversationId: rootId ?? parentId, agentId: sessionId, parentId }
}

/** A parent's transcript is usually in the folder of the same day. */
async function findOrigin(path: string, { parentId = '' }: SessionIdentity): Promise<AgentOrigin> {
  const folder = dirname(path)
  const files = await readdir(folder).catch(() => [])
  const file = files.find((name) => parseName(name).sessionId === parentId)
  return defined({ parentId, parentPath: file && join(folder, file) })
}
