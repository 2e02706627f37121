import { basename, dirname, resolve } from 'node:path'
import { defined } from '../../domain/optional.ts'
import { derivedId } from '../../features/kernel/derived-id.ts'
import type { TranscriptName } from '../format.ts'
import { parseUuid } from '../uuid.ts'

/** Parses `<session>.jsonl`, `agent-<id>.jsonl` and `<session>/subagents/agent-<id>.jsonl`. */
export function parseName(path: string): TranscriptName {
  const file = basename(path)
  const name = file.replace(/\.jsonl$/i, '')
  const agentId = /^agent-(.+)$/.exec(name)?.[1]
  const own = agentId === undefined ? [name] : parents(path)
  const sessionId = own.map(parseUuid).find((id) => id !== undefined)
  const fallback = derivedId('claude-code', resolve(agentId === undefined ? path : dirname(path)))
  return defined({ file, fallback, sessionId, agentId })
}

/** Returns the names of the parent folders, nearest first. */
function parents(path: string): string[] {
  return dirname(resolve(path)).split(/[\\/]/).reverse()
}
