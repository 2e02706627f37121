import { typedCommand } from '../../domain/typed-command.ts'
import { derivedId } from '../../features/kernel/derived-id.ts'
import { textAt } from '../draft.ts'
import { type Facts, MAIN, type SessionIdentity, type TranscriptFormat, type TranscriptName } from '../format.ts'
import { parseName } from './name.ts'
import { findOrigin } from './origin.ts'
import { ClaudeCodeSorter } from './sorter.ts'
import { ClaudeCodeTranslator } from './translator.ts'

/** Keys of transcript lines besides their type. */
const NAMES = ['uuid', 'sessionId', 'leafUuid', 'message']

/** Transcripts of Claude Code, which it writes below `~/.claude/projects`. */
export const claudeCode: TranscriptFormat = {
  name: 'claude-code',
  title: 'Claude Code',
  folder: '~/.claude/projects',
  agent: 'claude',
  agentTools: new Set(['Task', 'Agent']),
  hasLateUsage: false,
  parseName,
  parseCommand: typedCommand,
  isEntry: (value) => textAt(value, 'type') !== '' && NAMES.some((name) => Object.hasOwn(value, name)),
  newSorter: ({ agentId }) => new ClaudeCodeSorter(agentId !== undefined),
  newTranslator: (conversationId) => new ClaudeCodeTranslator(conversationId),
  identify,
  findOrigin,
}

function identify(name: TranscriptName, facts: Facts, key: string): SessionIdentity {
  const conversationId = name.sessionId ?? facts.sessionId ?? name.fallback
  const agentId = key === MAIN ? name.agentId : key
  if (agentId === undefined) return { sessionId: conversationId, conversationId }
  return { sessionId: derivedId(conversationId, agentId), conversationId, agentId, parentId: conversationId }
}
