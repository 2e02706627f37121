import type { RunRecord, ScheduledWake, WriteOptions } from '../../api.ts'
import { RunLostError, TooLargeError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import { encodeJson, type Json, type JsonObject } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { checkLive, type SessionRecord } from '../../domain/record.ts'
import {
  dueAt,
  type RunFinishedParts,
  type RunOutcome,
  type RunStartedParts,
  requireNoLiveRun,
  retryTime,
  type Wake,
} from '../../domain/run.ts'
import type { StoredEvent } from '../../ports/session-store.ts'
import {
  type Draft,
  decideInAnyState,
  decideOn,
  decideOnRuns,
  findEarlierWrite,
  newEvent,
  stampOf,
} from '../kernel/decide.ts'
import { type Deps, keyOf, now } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { recentEvents } from '../log/operation.ts'
import { sessionRecord } from '../sessions/operation.ts'
import type { RunGrant } from './hold-run.ts'
import { cancelInput, wakeInput } from './schema.ts'
import { type Stop, stopOf } from './stop.ts'

export { depsOfRun } from './fenced-store.ts'

/** Open wakes of a session. All their prompts together may be as long as one. */
const MOST_WAKES = 100

/** How a run begins. */
export interface Beginning {
  readonly worker?: string | undefined
  readonly ttlMs: number
  readonly idempotencyKey?: string | undefined
  /** Begins only if the session needs work at that moment. */
  readonly onlyIfDue?: boolean
}

/** Begins a run, or throws `RunActiveError` while another is live. Takes over one whose lease has expired. */
export async function beginRun(deps: Deps, id: string, how: Beginning): Promise<RunGrant> {
  const { worker, ttlMs, idempotencyKey, onlyIfDue = false } = how
  const runId = deps.newId()
  const open = await openCalls(deps, id, (record) => record.run !== undefined)
  const decide = (view: SessionView, at: string): Draft[] => {
    checkLive(view.record, at)
    const { record, run } = view
    requireNoLiveRun(view, at)
    if (onlyIfDue && (dueAt(view) ?? '9') > at) throw new NoWorkError()
    const lost = record.run === undefined ? [] : [...cancelled(view, open), finished(record, 'lost')]
    const due = (run?.wakes ?? []).filter(({ at: time }) => time <= at)
    const prompts = due.filter(({ prompt }) => prompt !== undefined).length
    const parts: RunStartedParts = defined({
      runId,
      generation: (run?.generation ?? 0) + 1,
      worker,
      turns: record.turns + prompts,
    })
    const content = worker === undefined ? 'Run started' : `Run started by ${worker}`
    return [...lost, ...due.flatMap(fired), { type: 'run_started', content, parts: { ...parts } }]
  }
  const call = defined({ command: ['run', worker, ttlMs], idempotencyKey })
  const { events } = await decideOnRuns(deps, id, decide, ttlMs, call)
  const started = events.find(({ type }) => type === 'run_started')?.parts as unknown as RunStartedParts
  return { sessionId: id, runId: started.runId, generation: started.generation, ttlMs }
}

/** The session of a claim needs no work any more. */
export class NoWorkError extends Error {}

/** The events of a wake whose time has come. Its prompt becomes a message of the user, who the work is for. */
function fired({ id, prompt }: Wake): Draft[] {
  const woken: Draft = { type: 'wake_fired', content: 'Woken', parts: { id } }
  return prompt === undefined ? [woken] : [woken, { type: 'user_message', content: prompt, parts: { wake: id } }]
}

function finished({ run }: SessionRecord, outcome: RunOutcome, note?: string, retryAt?: string): Draft {
  const { id: runId = '', generation = 0 } = run ?? {}
  const parts: RunFinishedParts = defined({ runId, generation, outcome, retryAt })
  return { type: 'run_finished', content: note ?? `Run ${outcome}`, parts: { ...parts } }
}

/** Tool calls without a result, with the sequence up to which they are known. */
interface OpenCalls {
  readonly ids: readonly string[]
  readonly head: number
}

/** Read before the decision, because that cannot read the log. */
async function openCalls(deps: Deps, id: string, matters: (record: SessionRecord) => boolean): Promise<OpenCalls> {
  const record = await sessionRecord(deps, id)
  if (!matters(record)) return { ids: [], head: 0 }
  const { dangling } = await recentEvents(deps, id, { maxTurns: 2 })
  return { ids: dangling, head: record.head }
}

/**
 * Results for the calls that nobody will answer, so that the next context is valid. Calls that wait for a request stay
 * open, and so do all if the log has grown since they were read.
 */
function cancelled({ record, requests = [] }: SessionView, { ids, head }: OpenCalls): Draft[] {
  if (record.head !== head) return []
  const waiting = new Set(requests.map(({ toolCallId }) => toolCallId))
  return ids
    .filter((id) => !waiting.has(id))
    .map((toolCallId) => ({ type: 'tool_result', content: 'cancelled', parts: { toolCallId, cancelled: true } }))
}

/** Extends the lease; returns why the run has to stop, if it has to. */
export async function renewRun(
  deps: Deps,
  id: string,
  { generation, ttlMs }: Pick<RunGrant, 'generation' | 'ttlMs'>,
): Promise<Stop | undefined> {
  const at = now(deps)
  const until = new Date(Date.parse(at) + ttlMs).toISOString()
  const isHeld = await deps.store.renew({ ...keyOf(deps, id), generation, at, until })
  return (await runStop(deps, id, generation)) ?? (isHeld ? undefined : { reason: 'lost' })
}

/** Why a run has to stop, if it has to. */
export async function runStop(deps: Deps, id: string, generation: number): Promise<Stop | undefined> {
  return stopOf(await deps.store.record(keyOf(deps, id)), generation)
}

/** Ends a run. One that was asked to stop ends as that, whatever it says. An ended session has ended its runs. */
export async function finishRun(
  deps: Deps,
  id: string,
  generation: number,
  outcome: 'completed' | 'failed',
  note?: string,
): Promise<void> {
  for (let left = RETRIES; ; left--) {
    const open = await openCalls(deps, id, ({ run }) => run !== undefined && (outcome === 'failed' || wasStopped(run)))
    let isOld = false
    const decide = (view: SessionView, at: string): Draft[] => {
      const { record } = view
      if (record.endedAt !== undefined) return []
      if (record.run?.generation !== generation) throw new RunLostError({ sessionId: id, generation })
      const actual = outcomeOf(record.run, outcome)
      isOld = actual !== 'completed' && open.head !== record.head
      if (isOld && left > 0) return []
      const failures = (view.run?.failures ?? 0) + 1
      const retryAt = actual === 'failed' ? retryTime(failures, at) : undefined
      const over = actual === 'completed' ? [] : cancelled(view, open)
      return [...over, finished(record, actual, note, retryAt)]
    }
    await decideInAnyState(deps, id, decide)
    if (!isOld || left === 0) return
  }
}

/** Ends a run that never reached its worker. The session needs work at once, and no failure is counted. */
export async function releaseRun(deps: Deps, id: string, generation: number): Promise<void> {
  const decide = ({ record }: SessionView, at: string): Draft[] =>
    record.run?.generation === generation ? [finished(record, 'lost', 'The worker had left', at)] : []
  await decideInAnyState(deps, id, decide)
}

/** Attempts to see every open call while others write. */
const RETRIES = 5

type Live = NonNullable<SessionRecord['run']>

function wasStopped({ cancelled, interruptedAt }: Live): boolean {
  return cancelled !== undefined || interruptedAt !== undefined
}

function outcomeOf({ cancelled, interruptedAt }: Live, wanted: 'completed' | 'failed'): RunOutcome {
  if (cancelled !== undefined) return 'cancelled'
  return interruptedAt === undefined ? wanted : 'interrupted'
}

/** Asks the live run to stop, wherever it is. Without one, or if it was asked before, nothing is written. */
export async function cancelRun(
  deps: Deps,
  id: string,
  input: { reason?: string | undefined } & WriteOptions = {},
): Promise<SessionRecord> {
  const { reason, idempotencyKey } = parse(cancelInput, input)
  const decide = ({ record: { run } }: SessionView): Draft[] =>
    run === undefined || run.cancelled !== undefined ? [] : [{ type: 'cancel_requested', content: reason ?? '' }]
  const call = defined({ command: ['cancel', reason], idempotencyKey })
  return (await decideOn(deps, id, decide, call)).view.record
}

/** The recorded result of a step; `undefined` if there is none, or none that a rewind left on the line. */
export async function findStep(deps: Deps, id: string, key: string): Promise<{ result?: Json } | undefined> {
  for (let stamp = stepStamp(key); ; ) {
    const [event] = await findEarlierWrite(deps, id, { command: STEP, idempotencyKey: stamp })
    if (event === undefined || (await isOnLine(deps, id, event.sequence))) return event && resultIn(event.parts)
    stamp = stampAfter(key, event.sequence)
  }
}

/** Records the result of a step unless it has one; returns the recorded one. */
export async function recordStep(deps: Deps, id: string, key: string, result: unknown): Promise<{ result?: Json }> {
  const parts = { key, ...(result !== undefined && { result: result as Json }) }
  encodeJson(parts, 'result', LIMITS.parts)
  const event = newEvent(deps, { type: 'step_completed', content: key, parts: parts as JsonObject })
  for (let stamp = stepStamp(key); ; ) {
    const idempotency = stampOf(stamp, STEP)
    const { events, replayed } = await deps.store.append({
      ...keyOf(deps, id),
      events: [event],
      at: now(deps),
      idempotency,
    })
    const stored = sessionEvent(id, events[0] as StoredEvent)
    if (!replayed || (await isOnLine(deps, id, stored.sequence))) return resultIn(stored.parts)
    stamp = stampAfter(key, stored.sequence)
  }
}

/** The result is not part of the stamp: a second call for the key gets the first result. */
const STEP = ['step']

function stepStamp(key: string): string {
  return `step:${key}`
}

/** The stamp of a step whose earlier event a rewind took off the line: that one keeps its own. */
function stampAfter(key: string, hidden: number): string {
  return `${stepStamp(key)}@${hidden}`
}

async function isOnLine(deps: Deps, id: string, sequence: number): Promise<boolean> {
  const query = { after: sequence - 1, before: sequence + 1, order: 'asc', limit: 1, line: true } as const
  return (await deps.store.read(keyOf(deps, id), query)).length > 0
}

function resultIn(parts: Json | undefined): { result?: Json } {
  const { result } = (parts ?? {}) as { result?: Json }
  return result === undefined ? {} : { result }
}

/** Marks the session as needing work at a time. Another wake with the same key replaces this one. */
export async function scheduleWake(
  deps: Deps,
  id: string,
  input: { at: Date | string; prompt?: string | undefined; key?: string | undefined } & WriteOptions,
): Promise<ScheduledWake> {
  const at = input.at instanceof Date ? timeOf(input.at) : input.at
  const { idempotencyKey, ...given } = parse(wakeInput, { ...input, at })
  const wake = defined({ id: deps.newId(), ...given })
  const decide = ({ run }: SessionView): Draft[] => {
    const others = (run?.wakes ?? []).filter(({ key }) => key === undefined || key !== wake.key)
    if (others.length >= MOST_WAKES)
      throw new TooLargeError({ field: 'wakes', limit: MOST_WAKES, actual: MOST_WAKES + 1 })
    // every decision on the session reads them
    const length = [...others, wake].reduce((sum, { prompt = '' }) => sum + prompt.length, 0)
    if (length > LIMITS.statement) throw new TooLargeError({ field: 'prompt', limit: LIMITS.statement, actual: length })
    return [{ type: 'wake_scheduled', content: `Wake at ${wake.at}`, parts: { ...wake } }]
  }
  const { events } = await decideOn(deps, id, decide, defined({ command: ['wakeAt', given], idempotencyKey }))
  return events[0]?.parts as unknown as ScheduledWake
}

/** An invalid date becomes a text that is refused. */
function timeOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'Invalid Date' : date.toISOString()
}

/** The runs of a session, newest first; at most one page of the events they are made of. */
export async function listRuns(deps: Deps, id: string): Promise<RunRecord[]> {
  const types = ['run_started', 'run_finished']
  const stored = await deps.store.read(keyOf(deps, id), { types, order: 'desc', limit: LIMITS.page })
  const ends = new Map<string, Pick<RunRecord, 'finishedAt' | 'outcome' | 'note'>>()
  return stored.flatMap((one) => {
    const event = sessionEvent(id, one)
    if (event.type === 'run_finished') {
      const { runId, outcome } = event.parts as unknown as RunFinishedParts
      ends.set(runId, { finishedAt: event.createdAt, outcome, note: event.content })
      return []
    }
    const { runId, generation, worker } = event.parts as unknown as RunStartedParts
    const { sequence, createdAt: startedAt } = event
    return [{ ...defined({ id: runId, generation, worker, startedAt, sequence }), ...ends.get(runId) }]
  })
}
