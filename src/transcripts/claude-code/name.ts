import { basename, dirname, resolve } from 'node:path'
import { defined } from '../../domain/optional.ts'
import { derivedId } from '../../features/kernel/derived-id.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Facts from the path of a transcript. */
export interface TranscriptName {
  /** File name without folders. */
  readonly file: string
  /** The session of the file, or the one its sub-agent works for; absent if only the lines know it. */
  readonly sessionId?: string
  /** The file's sub-agent. */
  readonly agentId?: string
  /** Session id if nothing else names one. */
  readonly fallback: string
}

/** Parses `<session>.jsonl`, `agent-<id>.jsonl` and `<session>/subagents/agent-<id>.jsonl`. */
export function parseTranscriptName(path: string): TranscriptName {
  const file = basename(path)
  const name = file.replace(/\.jsonl$/i, '')
  const agentId = /^agent-(.+)$/.exec(name)?.[1]
  const own = agentId === undefined ? [name] : parents(path)
  const sessionId = own.find((part) => UUID.test(part))?.toLowerCase()
  const fallback = derivedId('claude-code', resolve(agentId === undefined ? path : dirname(path)))
  return defined({ file, fallback, sessionId, agentId })
}

/** Returns the value if it is a UUID, in lower case. */
export function parseUuid(value: unknown): string | undefined {
  return typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : undefined
}

/** Returns the names of the parent folders, nearest first. */
function parents(path: string): string[] {
  return dirname(resolve(path)).split(/[\\/]/).reverse()
}
