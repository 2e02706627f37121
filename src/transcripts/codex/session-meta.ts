import { isObject, type JsonObject } from '../../domain/json.ts'
import { textAt } from '../draft.ts'
import type { Facts } from '../format.ts'
import { parseUuid } from '../uuid.ts'

/** Facts from the first line of a rollout. */
export function factsOf(meta: JsonObject): Facts {
  const { source, git } = meta
  const subagent = isObject(source) && isObject(source['subagent']) ? source['subagent'] : {}
  const spawn = subagent['thread_spawn']
  const parentId = parseUuid(meta['parent_thread_id']) ?? parseUuid(textAt(spawn, 'parent_thread_id'))
  return withoutUndefined({
    sessionId: parseUuid(meta['id']),
    rootId: parseUuid(meta['session_id']),
    parentId,
    cwd: textAt(meta, 'cwd'),
    version: textAt(meta, 'cli_version'),
    originator: textAt(meta, 'originator'),
    gitBranch: textAt(git, 'branch'),
    agentName: textAt(meta, 'agent_nickname'),
    agentRole: textAt(meta, 'agent_role') || textAt(meta, 'agent_type'),
    // a sub-agent may start with a copy of its parent's history
    forkedFrom: parentId === undefined ? textAt(meta, 'forked_from_id') : undefined,
  })
}

function withoutUndefined(facts: { [name in keyof Facts]: string | undefined }): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}
