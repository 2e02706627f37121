import type { RewindInput, WriteOptions } from '../../api.ts'
import { TooLargeError, ValidationError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { SessionView } from '../../domain/fold.ts'
import type { JsonObject } from '../../domain/json.ts'
import { MESSAGE_TYPES, type Message } from '../../domain/message.ts'
import { isFinal, type SessionRecord } from '../../domain/record.ts'
import { MAX_HIDDEN, type RestoredViews, type RewoundParts, restoredFrom } from '../../domain/rewind.ts'
import type { NewEvent } from '../../ports/session-store.ts'
import { type Decided, type Draft, decideOn, type KeyedCall } from '../kernel/decide.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { viewAt } from '../kernel/history.ts'
import { parse } from '../kernel/parse.ts'
import { messageEvent } from '../messages/operation.ts'
import { decideWithWork, workDraft } from '../work/operation.ts'
import { checkNoOtherRun } from './other-run.ts'
import { replaceInput, rewindInput } from './schema.ts'

export { branchesOf } from './branches.ts'

/**
 * Continues the session from an earlier event. A live run blocks it, unless the call is part of that run.
 */
export async function rewindSession(deps: Deps, id: string, input: RewindInput & WriteOptions): Promise<SessionRecord> {
  const { to, reason, idempotencyKey } = parse(rewindInput, input)
  const call = { command: ['rewind', to, reason], idempotencyKey }
  return (await rewindTo(deps, id, { to, reason, field: 'to' }, call)).view.record
}

/** Continues the session from before a message, with another one in its place; returns the event of the new one. */
export async function replaceMessage(
  deps: Deps,
  id: string,
  input: { sequence: number; message: Message } & WriteOptions,
): Promise<SessionEvent> {
  const { sequence, message, idempotencyKey } = parse(replaceInput, input)
  const event = messageEvent(deps, message, 'message')
  const range = { after: sequence - 1, before: sequence + 1, order: 'asc', limit: 1 } as const
  const [replaced] = await deps.store.read(keyOf(deps, id), range)
  if (replaced === undefined || !(MESSAGE_TYPES as readonly string[]).includes(replaced.type)) {
    throw new ValidationError('sequence', 'must be that of a message')
  }
  const call = { command: ['replaceMessage', sequence, message], idempotencyKey }
  const rewind = { to: sequence - 1, field: 'sequence', message: event }
  return (await rewindTo(deps, id, rewind, call)).events.at(-1) as SessionEvent
}

interface RewindTo {
  to: number
  reason?: string | undefined
  /** The name of the target in errors. */
  field: string
  /** Written right after the rewind. */
  message?: NewEvent
}

/** Rewinds in one decision, which also writes waiting observations: they belong to the branch that is left. */
async function rewindTo(
  deps: Deps,
  id: string,
  { to, reason = '', field, message }: RewindTo,
  call: KeyedCall,
): Promise<Decided> {
  const target = await viewAt(deps, id, to, field)
  const ranges = (target.hidden?.length ?? 0) + 1
  if (ranges > MAX_HIDDEN) throw new TooLargeError({ field, limit: MAX_HIDDEN, actual: ranges })
  return await decideWithWork(
    deps,
    id,
    (view, at, staged) => {
      checkNoOtherRun(deps, view, at)
      // nothing came after the target
      if (to === view.record.head) return []
      const parts: RewoundParts = { to, restored: restoredIn(view, target) }
      const rewound: Draft = { type: 'rewound', content: reason, parts: parts as unknown as JsonObject }
      const work = staged.length === 0 ? [] : [workDraft(deps, view, 'step', staged).draft]
      return [...work, rewound, ...(message === undefined ? [] : [message])]
    },
    decideOn,
    call,
  )
}

/** What the target restores. A fork shares neither the end nor the requests and wakes of its source. */
function restoredIn({ record }: SessionView, target: SessionView): RestoredViews {
  const restored = restoredFrom(target)
  if (target.record.head > (record.forkedFrom?.sequence ?? 0)) return restored
  const { requests: _requests, wakes: _wakes, status, ...kept } = restored
  return { ...kept, status: isFinal(status.state) ? { state: 'running' } : status }
}
