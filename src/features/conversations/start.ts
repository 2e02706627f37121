import { SessionActiveError } from '../../domain/errors.ts'
import { TURN_TYPES } from '../../domain/event.ts'
import type { SessionView } from '../../domain/fold.ts'
import type { JsonObject } from '../../domain/json.ts'
import { abortFor } from '../../domain/lifecycle.ts'
import type { Scope, SessionStatus } from '../../domain/record.ts'
import { compactSession } from '../compaction/operation.ts'
import { type Draft, decideOn } from '../kernel/decide.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { takeSteps } from '../lifecycle/operation.ts'
import { startSession } from '../sessions/operation.ts'
import { isUnclear } from './actions.ts'
import type { IdempotentCall } from './idempotent-call.ts'

/** A message, and whether it is to be taken once. */
export interface IncomingMessage {
  scope: Scope
  message: string
  once: IdempotentCall | undefined
}

/** Characters of the first message that make the task. */
const LONGEST_TASK = 1000

/** Words of the user with which a session begins. */
type Said = Pick<Draft, 'content' | 'parts'>

/** Begins a session with what the user said, and gives its id. */
export async function startWith(
  deps: Deps,
  scope: Scope,
  said: readonly [Said, ...Said[]],
  once?: IdempotentCall,
): Promise<string> {
  const task = said[0].content.slice(0, LONGEST_TASK).toWellFormed()
  const id = await startSession(deps, { ...scope, task }, once?.idempotencyKey)
  const heard = said.map((words): Draft => ({ type: 'user_message', ...words }))
  // one that was begun by an earlier attempt may have ended since: then there is nothing to add
  const decide = ({ record }: SessionView) => (record.endedAt === undefined ? heard : [])
  await decideOn(deps, id, decide, { ...once, evenEnded: once !== undefined })
  return id
}

/** Begins the next task; where we had asked whether it is one, with the message that had been unclear. */
export async function startNext(
  deps: Deps,
  { scope, message, once }: IncomingMessage,
  displaced: string,
  status: SessionStatus,
  intent: JsonObject,
): Promise<string> {
  const words = { content: message, parts: { intent, displaced } }
  const query = { types: TURN_TYPES, order: 'desc', limit: 1 } as const
  const [unclear] = isUnclear(status) ? await deps.store.read(keyOf(deps, displaced), query) : []
  try {
    return await startWith(deps, scope, unclear === undefined ? [words] : [{ content: unclear.content }, words], once)
  } catch (error) {
    // that this message begins a task is on record: one that another message began meanwhile makes room
    if (once !== undefined && error instanceof SessionActiveError) await displace(deps, error.details.sessionId)
    throw error
  }
}

async function displace(deps: Deps, id: string): Promise<void> {
  const withoutCommit = !(await isMeaningful(deps, id))
  const { taken } = await takeSteps(deps, id, [abortFor('displaced')], {
    withoutCommit,
    unless: ({ endedAt }) => endedAt !== undefined,
  })
  if (taken && !withoutCommit) await compactSession(deps, id)
}

const MEANINGFUL = ['model_message', 'tool_call', 'tool_result', 'work_committed']

/** Whether something was done that is worth a commit. */
export async function isMeaningful(deps: Deps, id: string): Promise<boolean> {
  if (deps.staging.has(id)) return true
  const found = await deps.store.read(keyOf(deps, id), { types: MEANINGFUL, order: 'asc', limit: 1 })
  return found.length > 0
}
