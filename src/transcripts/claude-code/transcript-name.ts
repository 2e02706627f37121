import { basename, dirname, resolve } from 'node:path'
import { derivedId } from '../../features/kernel/derived-id.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What the path of a transcript says. */
export interface TranscriptName {
  /** Name of the file, without its folders. */
  readonly file: string
  /** Of the session that is written there, or that the sub-agent works for; absent where only the lines may say it. */
  readonly sessionId?: string
  /** Of the sub-agent that the file is of. */
  readonly agentId?: string
  /** What to take for the session where nothing says it. */
  readonly fallback: string
}

/** Reads `<session>.jsonl`, `agent-<id>.jsonl` and `<session>/subagents/agent-<id>.jsonl`. */
export function parseTranscriptName(path: string): TranscriptName {
  const file = basename(path)
  const name = file.replace(/\.jsonl$/i, '')
  const agentId = /^agent-(.+)$/.exec(name)?.[1]
  const own = agentId === undefined ? [name] : parents(path)
  const sessionId = own.find((part) => UUID.test(part))?.toLowerCase()
  const fallback = derivedId('claude-code', resolve(agentId === undefined ? path : dirname(path)))
  return { file, fallback, ...(sessionId && { sessionId }), ...(agentId !== undefined && { agentId }) }
}

/** The id, if the value is one that a session can have. */
export function parseUuid(value: unknown): string | undefined {
  return typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : undefined
}

/** Names of the folders above, the nearest first. */
function parents(path: string): string[] {
  return dirname(resolve(path)).split(/[\\/]/).reverse()
}
