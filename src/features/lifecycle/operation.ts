import type { WriteOptions } from '../../api.ts'
import type { SessionRecord } from '../../domain/record.ts'
import type { Deps } from '../kernel/deps.ts'
import { parse, writeOptions } from '../kernel/parse.ts'
import { sessionRecord } from '../sessions/operation.ts'
import { abortInput, askInput, continueInput, incorporateInput, proposeInput, textInput } from './schema.ts'
import { applyCommand, applyEnd } from './transitions.ts'

export { isDue } from './due.ts'
export { abortIfDue, abortIfOpen, applyMessage, dropWrittenWork } from './transitions.ts'

/** The agent asks the user a question and waits for the answer. */
export async function ask(deps: Deps, id: string, input: { question: string } & WriteOptions): Promise<SessionRecord> {
  const { question, idempotencyKey } = parse(askInput, input)
  return (await applyCommand(deps, id, { do: 'ask', question }, idempotencyKey)).record
}

/** The user answers the question. */
export async function answer(deps: Deps, id: string, input: { text: string } & WriteOptions): Promise<SessionRecord> {
  const { text, idempotencyKey } = parse(textInput, input)
  return (await applyCommand(deps, id, { do: 'answer', text }, idempotencyKey)).record
}

/** The user interrupts the agent. */
export async function interrupt(
  deps: Deps,
  id: string,
  input: { text: string } & WriteOptions,
): Promise<SessionRecord> {
  const { text, idempotencyKey } = parse(textInput, input)
  return (await applyCommand(deps, id, { do: 'interrupt', text }, idempotencyKey)).record
}

/** The agent takes the interruption into account and continues. */
export async function incorporate(
  deps: Deps,
  id: string,
  input: { note?: string | undefined } & WriteOptions,
): Promise<SessionRecord> {
  const { note, idempotencyKey } = parse(incorporateInput, input)
  return (await applyCommand(deps, id, { do: 'incorporate', note }, idempotencyKey)).record
}

/** The agent proposes that the task is done and waits for the user to confirm. */
export async function propose(
  deps: Deps,
  id: string,
  input: { summary: string } & WriteOptions,
): Promise<SessionRecord> {
  const { summary, idempotencyKey } = parse(proposeInput, input)
  return (await applyCommand(deps, id, { do: 'propose', summary }, idempotencyKey)).record
}

/** The user confirms: the session completes and is compacted. */
export async function confirm(deps: Deps, id: string, options: WriteOptions = {}): Promise<SessionRecord> {
  const { idempotencyKey } = parse(writeOptions, options)
  await applyCommand(deps, id, { do: 'confirm' }, idempotencyKey)
  return await compacted(deps, id)
}

/** The user asks for more: the session continues. */
export async function continueWith(
  deps: Deps,
  id: string,
  input: { request: string } & WriteOptions,
): Promise<SessionRecord> {
  const { request, idempotencyKey } = parse(continueInput, input)
  return (await applyCommand(deps, id, { do: 'continueWith', request }, idempotencyKey)).record
}

/** Aborts the task and compacts what was done. */
export async function abort(deps: Deps, id: string, input: { reason: string } & WriteOptions): Promise<SessionRecord> {
  const { reason, idempotencyKey } = parse(abortInput, input)
  await applyCommand(deps, id, { do: 'abort', reason }, idempotencyKey)
  return await compacted(deps, id)
}

async function compacted(deps: Deps, id: string): Promise<SessionRecord> {
  const { compactSession } = await import('../compaction/operation.ts')
  await compactSession(deps, id)
  return await sessionRecord(deps, id)
}

/** Ends the session from any live state, without a commit. */
export async function endSession(deps: Deps, id: string, options: WriteOptions = {}): Promise<SessionRecord> {
  const { idempotencyKey } = parse(writeOptions, options)
  return (await applyEnd(deps, id, idempotencyKey)).record
}
