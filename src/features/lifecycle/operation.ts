import type { WriteOptions } from '../../api.ts'
import { checkLive, type SessionRecord } from '../../domain/record.ts'
import type { Deps } from '../kernel/deps.ts'
import { parse, writeOptions } from '../kernel/parse.ts'
import { sessionRecord } from '../sessions/operation.ts'
import { abortInput, askInput, continueInput, incorporateInput, proposeInput, textInput } from './schema.ts'
import { takeSteps } from './transitions.ts'

export { isDue } from './due.ts'
export { takeSteps } from './transitions.ts'

/** The agent asks and waits for the user. */
export async function ask(deps: Deps, id: string, input: { question: string } & WriteOptions): Promise<SessionRecord> {
  const { question, idempotencyKey } = parse(askInput, input)
  return (await takeSteps(deps, id, [{ do: 'ask', question }], { idempotencyKey })).record
}

/** The user answers what was asked. */
export async function answer(deps: Deps, id: string, input: { text: string } & WriteOptions): Promise<SessionRecord> {
  const { text, idempotencyKey } = parse(textInput, input)
  return (await takeSteps(deps, id, [{ do: 'answer', text }], { idempotencyKey })).record
}

/** The user speaks while the agent works. */
export async function interrupt(
  deps: Deps,
  id: string,
  input: { text: string } & WriteOptions,
): Promise<SessionRecord> {
  const { text, idempotencyKey } = parse(textInput, input)
  return (await takeSteps(deps, id, [{ do: 'interrupt', text }], { idempotencyKey })).record
}

/** The agent has taken the interruption up. */
export async function incorporate(
  deps: Deps,
  id: string,
  input: { note?: string | undefined } & WriteOptions,
): Promise<SessionRecord> {
  const { note, idempotencyKey } = parse(incorporateInput, input)
  return (await takeSteps(deps, id, [{ do: 'incorporate', note }], { idempotencyKey })).record
}

/** The agent holds the task for done, and waits for the user to confirm. */
export async function propose(
  deps: Deps,
  id: string,
  input: { summary: string } & WriteOptions,
): Promise<SessionRecord> {
  const { summary, idempotencyKey } = parse(proposeInput, input)
  return (await takeSteps(deps, id, [{ do: 'propose', summary }], { idempotencyKey })).record
}

/** The user confirms: the session is complete, and compacted. */
export async function confirm(deps: Deps, id: string, options: WriteOptions = {}): Promise<SessionRecord> {
  const { idempotencyKey } = parse(writeOptions, options)
  await takeSteps(deps, id, [{ do: 'confirm' }], { idempotencyKey })
  return await compacted(deps, id)
}

/** The user wants more: the work goes on. */
export async function continueWith(
  deps: Deps,
  id: string,
  input: { request: string } & WriteOptions,
): Promise<SessionRecord> {
  const { request, idempotencyKey } = parse(continueInput, input)
  return (await takeSteps(deps, id, [{ do: 'continueWith', request }], { idempotencyKey })).record
}

/** Gives the task up, and compacts what there is. */
export async function abort(deps: Deps, id: string, input: { reason: string } & WriteOptions): Promise<SessionRecord> {
  const { reason, idempotencyKey } = parse(abortInput, input)
  await takeSteps(deps, id, [{ do: 'abort', reason }], { idempotencyKey })
  return await compacted(deps, id)
}

async function compacted(deps: Deps, id: string): Promise<SessionRecord> {
  const { compactSession } = await import('../compaction/operation.ts')
  await compactSession(deps, id)
  return await sessionRecord(deps, id)
}

/** Ends the session in whatever live state it is, without a commit. */
export async function endSession(deps: Deps, id: string, options: WriteOptions = {}): Promise<SessionRecord> {
  const { idempotencyKey } = parse(writeOptions, options)
  const live = (record: SessionRecord, at: string) => {
    checkLive(record, at)
    return false
  }
  return (await takeSteps(deps, id, [{ do: 'end' }], { idempotencyKey, unless: live })).record
}
