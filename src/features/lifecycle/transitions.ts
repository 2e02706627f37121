import { InvalidTransitionError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { SessionView } from '../../domain/fold.ts'
import type { JsonObject } from '../../domain/json.ts'
import { type LifecycleCommand, nextStatus, noteOf } from '../../domain/lifecycle.ts'
import { checkLive, isFinal, type SessionRecord, type SessionStatus } from '../../domain/record.ts'
import type { Observation } from '../../domain/work.ts'
import type { Draft } from '../kernel/decide.ts'
import type { Deps } from '../kernel/deps.ts'
import { decideWithWork, workDraft } from '../work/operation.ts'

/** How steps are to be taken. */
export interface StepOptions {
  readonly idempotencyKey?: string | undefined
  /** The call and all it was given; the same key with other input is refused. @default the steps */
  readonly command?: readonly unknown[] | undefined
  /** What the user's message was taken for, and by whom; kept with the message, or with the end where the message belongs to what comes next. */
  readonly intent?: JsonObject
  /** The status it was decided in. Where it has changed since, that throws `InvalidTransitionError`. */
  readonly from?: SessionStatus
  /** What the user said to bring it about, where the steps do not say it themselves. */
  readonly said?: string
  /** Ends the session without a commit. */
  readonly withoutCommit?: boolean
  /** Looks again at the moment of writing, and may find that there is nothing to do any more. */
  readonly unless?: (record: SessionRecord, at: string) => boolean
}

/** Steps that were taken, or had been by an earlier call with the same key. */
export interface StepsTaken {
  readonly record: SessionRecord
  readonly taken: boolean
  readonly events: readonly SessionEvent[]
  readonly replayed: boolean
}

/**
 * Takes steps of the state machine: what was observed, what was said, the note and the new status, all in one append. A
 * crash leaves the old status or the new one, with its note.
 */
export async function takeSteps(
  deps: Deps,
  id: string,
  commands: readonly LifecycleCommand[],
  { idempotencyKey, command = [commands], intent, from, said, withoutCommit = false, unless }: StepOptions = {},
): Promise<StepsTaken> {
  const { view, events, replayed } = await decideWithWork(
    deps,
    id,
    (before, at, staged) => {
      if (unless?.(before.record, at) === true) return []
      if (unless === undefined && !isFinal(before.record.status.state)) checkLive(before.record, at)
      if (from !== undefined) checkUnchanged(before.record, from)
      const heard = said === undefined ? [] : [heardDraft(said, intent)]
      const options = { intent, withoutCommit, isHeard: said !== undefined }
      return [...heard, ...stepsOf(deps, before, commands, at, staged, options)]
    },
    { command, idempotencyKey, evenEnded: true },
  )
  return { record: view.record, taken: events.length > 0, events, replayed }
}

function checkUnchanged({ id, status }: SessionRecord, from: SessionStatus): void {
  // both as the store gives them: their keys come in the same order
  if (JSON.stringify(status) === JSON.stringify(from)) return
  throw new InvalidTransitionError({ sessionId: id, state: status.state, command: 'handle' })
}

function stepsOf(
  deps: Deps,
  before: SessionView,
  commands: readonly LifecycleCommand[],
  at: string,
  staged: readonly Observation[],
  { intent, withoutCommit, isHeard }: { intent: JsonObject | undefined; withoutCommit: boolean; isHeard: boolean },
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
        : workDraft(
            deps,
            { record, ...(parent !== undefined && { lastWork: parent }) },
            note?.about ?? 'step',
            observed,
          )
    parent = work?.id ?? parent
    waiting = []
    record = { ...record, status }
    const end = {
      ...(withoutCommit && { commits: false }),
      ...(command.do === 'abort' && !isHeard && intent !== undefined && { intent }),
    }
    return [...saidIn(command, intent), ...(work ? [work.draft] : []), statusDraft(command, status, end)]
  })
}

/** What was said to bring it about, in the conversation like any other message. */
function saidIn(command: LifecycleCommand, intent: JsonObject | undefined): Draft[] {
  switch (command.do) {
    case 'ask':
      return [{ type: 'model_message', content: command.question }]
    case 'propose':
      return [{ type: 'model_message', content: command.summary }]
    case 'answer':
    case 'interrupt':
      return [heardDraft(command.text, intent)]
    case 'continueWith':
      return [heardDraft(command.request, intent)]
    default:
      return []
  }
}

function heardDraft(content: string, intent: JsonObject | undefined): Draft {
  return { type: 'user_message', content, ...(intent !== undefined && { parts: { intent } }) }
}

const CONTENTS: Record<SessionStatus['state'], string> = {
  running: 'The work goes on',
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
