import { SessionActiveError } from '../../domain/errors.ts'
import { TURN_TYPES } from '../../domain/event.ts'
import type { SessionView } from '../../domain/fold.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Scope, SessionStatus } from '../../domain/record.ts'
import { compactSession } from '../compaction/operation.ts'
import { type Draft, decideInAnyState, decideOn } from '../kernel/decide.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { abortIfOpen } from '../lifecycle/operation.ts'
import { startSession } from '../sessions/operation.ts'
import { isUnclear } from './actions.ts'
import type { IdempotentCall } from './idempotent-call.ts'

/** A user's message on its way into a conversation. */
export interface IncomingMessage {
  scope: Scope
  message: string
  /** Present if the caller gave an idempotency key. */
  call: IdempotentCall | undefined
}

/** Characters of the first message that become the task. */
const MAX_TASK = 1000

/** A user message that opens a session. */
type OpeningMessage = Pick<Draft, 'content' | 'parts'>

/** Starts a session with the user's messages and returns its id. */
export async function startWith(
  deps: Deps,
  scope: Scope,
  messages: readonly [OpeningMessage, ...OpeningMessage[]],
  call?: IdempotentCall,
): Promise<string> {
  const task = messages[0].content.slice(0, MAX_TASK).toWellFormed()
  const id = await startSession(deps, { ...scope, task }, call?.idempotencyKey)
  const drafts = messages.map((message): Draft => ({ type: 'user_message', ...message }))
  // a session that an earlier attempt started may have ended since: then there is nothing to add
  const decide = ({ record }: SessionView) => (record.endedAt === undefined ? drafts : [])
  await (call === undefined ? decideOn : decideInAnyState)(deps, id, decide, call)
  return id
}

/** Starts the next task; if we had asked whether it is one, the unclear message comes first. */
export async function startNext(
  deps: Deps,
  { scope, message, call }: IncomingMessage,
  displaced: string,
  status: SessionStatus,
  intent: JsonObject,
): Promise<string> {
  const words = { content: message, parts: { intent, displaced } }
  const query = { types: TURN_TYPES, line: true, order: 'desc', limit: 1 } as const
  const [unclear] = isUnclear(status) ? await deps.store.read(keyOf(deps, displaced), query) : []
  try {
    return await startWith(deps, scope, unclear === undefined ? [words] : [{ content: unclear.content }, words], call)
  } catch (error) {
    // the log says that this message starts a task: a session that another message started meanwhile makes room
    if (call !== undefined && error instanceof SessionActiveError) await displace(deps, error.details.sessionId)
    throw error
  }
}

async function displace(deps: Deps, id: string): Promise<void> {
  const withoutCommit = !(await isMeaningful(deps, id))
  const isAborted = await abortIfOpen(deps, id, 'displaced', { withoutCommit })
  if (isAborted && !withoutCommit) await compactSession(deps, id)
}

const MEANINGFUL = ['model_message', 'tool_call', 'tool_result', 'work_committed']

/** Whether the session holds work that is worth a commit. */
export async function isMeaningful(deps: Deps, id: string): Promise<boolean> {
  if (deps.staging.has(id)) return true
  const found = await deps.store.read(keyOf(deps, id), { types: MEANINGFUL, line: true, order: 'asc', limit: 1 })
  return found.length > 0
}
