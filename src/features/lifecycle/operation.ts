import type { WriteOptions } from '../../api.ts'
import type { SessionRecord } from '../../domain/record.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { parse, writeOptions } from '../kernel/parse.ts'
import { childrenOf, sessionRecord } from '../sessions/operation.ts'
import { abortInput, askInput, continueInput, incorporateInput, proposeInput, textInput } from './schema.ts'
import { abortChildren, applyCommand, applyEnd } from './transitions.ts'

export { isDue } from './due.ts'
export { abortIfDue, abortIfOpen, applyMessage, dropWrittenWork } from './transitions.ts'

/** A call that changes the state of a session and returns its record. */
export type LifecycleCall<Input> = (deps: Deps, id: string, input: Input & WriteOptions) => Promise<SessionRecord>

/** The agent asks the user a question and waits for the answer. */
export const ask: LifecycleCall<{ question: string }> = async (deps, id, input) => {
  const { question, idempotencyKey } = parse(askInput, input)
  return await applyCommand(deps, id, { do: 'ask', question }, idempotencyKey)
}

/** The user answers the question. */
export const answer: LifecycleCall<{ text: string }> = async (deps, id, input) => {
  const { text, idempotencyKey } = parse(textInput, input)
  return await applyCommand(deps, id, { do: 'answer', text }, idempotencyKey)
}

/** The user interrupts the agent. */
export const interrupt: LifecycleCall<{ text: string }> = async (deps, id, input) => {
  const { text, idempotencyKey } = parse(textInput, input)
  return await applyCommand(deps, id, { do: 'interrupt', text }, idempotencyKey)
}

/** The agent takes the interruption into account and continues. */
export const incorporate: LifecycleCall<{ note?: string | undefined }> = async (deps, id, input) => {
  const { note, idempotencyKey } = parse(incorporateInput, input)
  return await applyCommand(deps, id, { do: 'incorporate', note }, idempotencyKey)
}

/** The agent proposes that the task is done and waits for the user to confirm. */
export const propose: LifecycleCall<{ summary: string }> = async (deps, id, input) => {
  const { summary, idempotencyKey } = parse(proposeInput, input)
  return await applyCommand(deps, id, { do: 'propose', summary }, idempotencyKey)
}

/** The user confirms: the session completes and is compacted. */
export const confirm = async (deps: Deps, id: string, options: WriteOptions = {}): Promise<SessionRecord> => {
  const { idempotencyKey } = parse(writeOptions, options)
  await applyCommand(deps, id, { do: 'confirm' }, idempotencyKey)
  return await compacted(deps, id)
}

/** The user asks for more: the session continues. */
export const continueWith: LifecycleCall<{ request: string }> = async (deps, id, input) => {
  const { request, idempotencyKey } = parse(continueInput, input)
  return await applyCommand(deps, id, { do: 'continueWith', request }, idempotencyKey)
}

/** Aborts the task and compacts what was done. */
export const abort: LifecycleCall<{ reason: string }> = async (deps, id, input) => {
  const { reason, idempotencyKey } = parse(abortInput, input)
  await applyCommand(deps, id, { do: 'abort', reason }, idempotencyKey)
  return await compacted(deps, id)
}

async function compacted(deps: Deps, id: string): Promise<SessionRecord> {
  await compactWithChildren(deps, id)
  return await sessionRecord(deps, id)
}

/**
 * Makes the commit of an ended session and those of the children that ended with it. Also ends children that a crash
 * left open.
 */
export async function compactWithChildren(deps: Deps, id: string): Promise<void> {
  const { compactSession } = await import('../compaction/operation.ts')
  const record = await sessionRecord(deps, id)
  await abortChildren(deps, record)
  await compactSession(deps, id)
  for await (const child of childrenOf(deps, record)) {
    const view = await deps.store.load(keyOf(deps, child.id))
    if (view?.awaitsCommit === true) await compactWithChildren(deps, child.id)
  }
}

/** Ends the session from any live state, without a commit. */
export const endSession = async (deps: Deps, id: string, options: WriteOptions = {}): Promise<SessionRecord> => {
  const { idempotencyKey } = parse(writeOptions, options)
  return await applyEnd(deps, id, idempotencyKey)
}
