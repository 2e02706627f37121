import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { defined } from '../../domain/optional.ts'
import { derivedId } from '../../features/kernel/derived-id.ts'
import { textAt } from '../draft.ts'
import type { AgentOrigin, SessionIdentity } from '../format.ts'
import { parseJson } from '../translate-line.ts'
import { parseName } from './name.ts'

/** Folders above an agent's file to search for its session: `<session>/subagents/workflows/<run>/agent-….jsonl`. */
const LEVELS = 5
/** Maximum bytes of an agent's description. */
const MAX_SIDECAR = 256 * 1024

/** Finds what started a sub-agent: newer versions write it to `agent-<id>.meta.json` next to the transcript. */
export async function findOrigin(
  path: string,
  { conversationId, agentId = '' }: SessionIdentity,
): Promise<AgentOrigin> {
  // the sub-agent is in the file of its session
  if (parseName(path).agentId !== agentId) return { parentId: conversationId, parentPath: path }
  const { callId, parentAgentId } = await readSidecar(path)
  if (parentAgentId === undefined) {
    return defined({ parentId: conversationId, parentPath: await findSession(path, conversationId), callId })
  }
  const parentPath = await existing(join(dirname(path), `agent-${basename(parentAgentId)}.jsonl`))
  return defined({ parentId: derivedId(conversationId, parentAgentId), parentPath, callId })
}

async function readSidecar(path: string): Promise<{ callId?: string; parentAgentId?: string }> {
  const file = await existing(path.replace(/\.jsonl$/i, '.meta.json'), MAX_SIDECAR)
  const value = file === undefined ? undefined : parseJson(await readFile(file, 'utf8').catch(() => ''))
  const callId = textAt(value, 'toolUseId') || undefined
  const parentAgentId = textAt(value, 'parentAgentId') || undefined
  return defined({ callId, parentAgentId })
}

/** The transcript of the session is next to the agent's, or next to the folder of the session. */
async function findSession(path: string, sessionId: string): Promise<string | undefined> {
  const file = `${sessionId}.jsonl`
  let folder = dirname(path)
  const beside = await existing(join(folder, file))
  for (let level = 0; level < LEVELS && beside === undefined; level++) {
    if (basename(folder).toLowerCase() === sessionId) return await existing(join(dirname(folder), file))
    folder = dirname(folder)
  }
  return beside
}

async function existing(path: string, largest = Number.POSITIVE_INFINITY): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true && found.size <= largest ? path : undefined
}
