import { InvalidTransitionError, SessionNotFoundError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import type { Observation } from '../../domain/graph.ts'
import type { JsonObject } from '../../domain/json.ts'
import { abortFor, type LifecycleCommand, nextStatus, noteOf } from '../../domain/lifecycle.ts'
import { defined } from '../../domain/optional.ts'
import { type AbortCause, checkLive, isFinal, type SessionRecord, type SessionStatus } from '../../domain/record.ts'
import { type Decided, type Draft, decideInAnyState, type KeyedCall } from '../kernel/decide.ts'
import type { Deps } from '../kernel/deps.ts'
import { childrenOf } from '../sessions/operation.ts'
import { decideWithWork, workDraft } from '../work/operation.ts'
import { isDue } from './due.ts'

/** Applies one command and returns the record. An expired session is refused as ended. */
export async function applyCommand(
  deps: Deps,
  id: string,
  command: LifecycleCommand,
  idempotencyKey: string | undefined,
): Promise<SessionRecord> {
  const call = { command: [[command]], idempotencyKey }
  // a final state refuses any transition, with the error of the state machine
  const guard = (record: SessionRecord, at: string) => isFinal(record.status.state) || isLive(record, at)
  return (await transition(deps, id, [command], call, guard)).view.record
}

/** Ends the session from any live state, without a commit, and returns the record. */
export async function applyEnd(deps: Deps, id: string, idempotencyKey: string | undefined): Promise<SessionRecord> {
  const command = { do: 'end' } as const
  const call = { command: [[command]], idempotencyKey }
  return (await transition(deps, id, [command], call, isLive)).view.record
}

/** True, or throws `SessionEndedError`. */
function isLive(record: SessionRecord, at: string): boolean {
  checkLive(record, at)
  return true
}

/** What a user's message does to a session. */
export interface MessageEffect {
  readonly commands: readonly LifecycleCommand[]
  /** The status it was decided in; where that has changed, `InvalidTransitionError` is thrown. */
  readonly from: SessionStatus
  /** How the message was classified; kept with the message, or with the end if the message belongs to the next task. */
  readonly intent: JsonObject
  /** The message, if no command records it. */
  readonly said?: string
  /** Ends the session without a commit. */
  readonly withoutCommit: boolean
}

/** Applies what a user's message does, in the same append as the message. */
export async function applyMessage(
  deps: Deps,
  id: string,
  { commands, from, ...message }: MessageEffect,
  { command = [commands], idempotencyKey }: KeyedCall = {},
): Promise<Decided> {
  const isUnchanged = (record: SessionRecord, at: string) => {
    if (!isFinal(record.status.state)) checkLive(record, at)
    // both as the store returns them, so their keys are in the same order
    if (JSON.stringify(record.status) === JSON.stringify(from)) return true
    throw new InvalidTransitionError({ sessionId: id, state: record.status.state, command: 'handle' })
  }
  return await transition(deps, id, commands, { command, idempotencyKey }, isUnchanged, message)
}

/** Aborts the session unless it has ended; says whether it did. */
export async function abortIfOpen(
  deps: Deps,
  id: string,
  cause: AbortCause,
  { withoutCommit = false, call = {} }: { withoutCommit?: boolean; call?: KeyedCall | undefined } = {},
): Promise<boolean> {
  const commands = [abortFor(cause)]
  const isOpen = ({ endedAt }: SessionRecord) => endedAt === undefined
  const { events } = await transition(deps, id, commands, { command: [commands], ...call }, isOpen, { withoutCommit })
  return events.length > 0
}

/** Aborts the session as expired if it is due, looking again at the moment of writing; says whether it did. */
export async function abortIfDue(deps: Deps, id: string): Promise<boolean> {
  const due = (record: SessionRecord, at: string) => isDue(deps, record, at)
  const { events } = await transition(deps, id, [abortFor('expired')], {}, due)
  return events.length > 0
}

/** Takes staged observations that an earlier call with the same key wrote out of the buffer. Writes nothing. */
export async function dropWrittenWork(deps: Deps, id: string, call: KeyedCall): Promise<void> {
  await decideWithWork(deps, id, () => [], decideInAnyState, call)
}

/**
 * Writes observations, the message, the note and the new status in one append: a crash leaves the old status or the new
 * one with its note. `guard` sees the record at the moment of writing; false writes nothing, and a throw refuses.
 */
async function transition(
  deps: Deps,
  id: string,
  commands: readonly LifecycleCommand[],
  call: KeyedCall,
  guard: (record: SessionRecord, at: string) => boolean,
  message: Partial<Pick<MessageEffect, 'intent' | 'said' | 'withoutCommit'>> = {},
): Promise<Decided> {
  const { said, intent } = message
  const decide = (before: SessionView, at: string, staged: readonly Observation[]) => {
    if (!guard(before.record, at)) return []
    const heard = said === undefined ? [] : [userMessage(said, intent)]
    return [...heard, ...stepsOf(deps, before, commands, at, staged, message)]
  }
  const decided = await decideWithWork(deps, id, decide, decideInAnyState, call)
  if (decided.events.length > 0) await abortChildren(deps, decided.view.record)
  return decided
}

/** Aborts the children of a session that has ended. None can start after the end. */
export async function abortChildren(deps: Deps, parent: SessionRecord): Promise<void> {
  if (parent.endedAt === undefined) return
  for await (const child of childrenOf(deps, parent)) {
    if (child.endedAt === undefined) await abortChild(deps, child.id)
  }
}

async function abortChild(deps: Deps, id: string): Promise<void> {
  try {
    await abortIfOpen(deps, id, 'parent_ended')
  } catch (error) {
    // purged since the list was read
    if (!(error instanceof SessionNotFoundError)) throw error
  }
}

function stepsOf(
  deps: Deps,
  before: SessionView,
  commands: readonly LifecycleCommand[],
  at: string,
  staged: readonly Observation[],
  { intent, said, withoutCommit = false }: Partial<Pick<MessageEffect, 'intent' | 'said' | 'withoutCommit'>>,
): Draft[] {
  const { lastWork, ...view } = before
  let { record } = view
  let parent = lastWork
  let waiting = staged
  return commands.flatMap((command) => {
    const status = nextStatus(record.status, command, at, record.id)
    const note = noteOf(command)
    const observed: Observation[] = [
      ...waiting,
      ...(note ? [{ kind: 'note' as const, id: deps.newId(), ...note }] : []),
    ]
    const work =
      observed.length === 0
        ? undefined
        : workDraft(deps, defined({ record, lastWork: parent }), note?.about ?? 'step', observed)
    parent = work?.id ?? parent
    waiting = []
    record = { ...record, status }
    const end = {
      ...(withoutCommit && { commits: false }),
      ...(command.do === 'abort' && said === undefined && intent !== undefined && { intent }),
    }
    return [...messageOf(command, intent), ...(work ? [work.draft] : []), statusDraft(command, status, end)]
  })
}

/** The message that a command puts into the conversation. */
function messageOf(command: LifecycleCommand, intent: JsonObject | undefined): Draft[] {
  switch (command.do) {
    case 'ask':
      return [{ type: 'model_message', content: command.question }]
    case 'propose':
      return [{ type: 'model_message', content: command.summary }]
    case 'answer':
    case 'interrupt':
      return [userMessage(command.text, intent)]
    case 'continueWith':
      return [userMessage(command.request, intent)]
    default:
      return []
  }
}

function userMessage(content: string, intent: JsonObject | undefined): Draft {
  return { type: 'user_message', content, ...(intent !== undefined && { parts: { intent } }) }
}

const CONTENTS: Record<SessionStatus['state'], string> = {
  running: 'Work continues',
  awaiting_user: 'Waiting for the user',
  interrupted: 'Interrupted by the user',
  pending_complete: 'Waiting for confirmation',
  complete: 'Session complete',
  aborted: 'Session aborted',
}

function statusDraft(command: LifecycleCommand, status: SessionStatus, more: JsonObject): Draft {
  const content = command.do === 'end' ? 'Session ended by the caller' : CONTENTS[status.state]
  return {
    type: 'status_changed',
    content: status.state === 'aborted' ? status.reason : content,
    parts: { status: { ...status }, ...more },
  }
}
