import type { SessionEvent } from '../../domain/event.ts'
import { evolve, type SessionView } from '../../domain/fold.ts'
import { stringifyJson } from '../../domain/json.ts'
import type { RequestOpenedParts, RequestResolvedParts } from '../../domain/request.ts'
import type { RunFinishedParts, RunStartedParts, Wake } from '../../domain/run.ts'
import type { DecideRequest, NewEvent, SessionStore } from '../../ports/session-store.ts'
import { NOON, someEvent } from './samples.ts'

/** An event of a decision, made from the views before it. */
type Made = (view: SessionView) => NewEvent

/** The views after these events. */
function fold(before: SessionView, events: readonly NewEvent[], at: string): SessionView {
  return events.reduce((view, { parts, checksum: _, ...event }) => {
    const { id: sessionId, head } = view.record
    const given = { ...event, sessionId, sequence: head + 1, createdAt: at }
    return evolve(view, { ...given, ...(parts !== undefined && { parts: JSON.parse(parts) }) } as SessionEvent)
  }, before)
}

/** A decision of these events, which may set the lease. */
export function folding(
  sessionId: string,
  at: string,
  made: readonly Made[],
  change: (view: SessionView) => SessionView = (view) => view,
): DecideRequest {
  return {
    sessionId,
    at,
    decide(before) {
      const events: NewEvent[] = []
      let view = before
      for (const make of made) {
        const event = make(view)
        events.push(event)
        view = fold(view, [event], at)
      }
      return { events, view: change(view) }
    },
  }
}

/** Calls the store once the decider has returned: between load and write, if the store has such a gap. */
export async function soon<T>(call: () => Promise<T>): Promise<T> {
  await Promise.resolve()
  return await call()
}

/** An event of the system with these parts. */
export function systemEvent(type: string, parts: object, content = type): NewEvent {
  return someEvent(content, type, { role: 'system', parts: stringifyJson(parts as never) })
}

/** A decision that starts the next run, with a lease. */
export function startRequest(sessionId: string, at: string, until: string): DecideRequest {
  const started: Made = (view) => {
    const generation = (view.run?.generation ?? 0) + 1
    const parts: RunStartedParts = { runId: `run ${generation}`, generation, worker: 'w', turns: view.record.turns }
    return systemEvent('run_started', parts)
  }
  return folding(sessionId, at, [started], (view) => ({ ...view, leaseUntil: until }))
}

export async function startRun(store: SessionStore, sessionId: string, at: string, until: string): Promise<void> {
  await store.decide(startRequest(sessionId, at, until))
}

/** A decision that finishes the last run. */
export function finishRequest(
  sessionId: string,
  at = NOON,
  given: Partial<Pick<RunFinishedParts, 'outcome' | 'retryAt'>> = {},
): DecideRequest {
  const finished: Made = (view) => {
    const generation = view.run?.generation ?? 0
    const parts: RunFinishedParts = { runId: `run ${generation}`, generation, outcome: 'completed', ...given }
    return systemEvent('run_finished', parts)
  }
  return folding(sessionId, at, [finished])
}

export async function finishRun(
  store: SessionStore,
  sessionId: string,
  at = NOON,
  given: Parameters<typeof finishRequest>[2] = {},
): Promise<void> {
  await store.decide(finishRequest(sessionId, at, given))
}

/** Stores a change of the status. */
export async function setStatus(
  store: SessionStore,
  sessionId: string,
  at: string,
  status: SessionView['record']['status'],
): Promise<void> {
  await store.decide(folding(sessionId, at, [() => systemEvent('status_changed', { status })]))
}

export async function scheduleWake(store: SessionStore, sessionId: string, at: string, wake: Wake): Promise<void> {
  await store.decide(folding(sessionId, at, [() => systemEvent('wake_scheduled', wake)]))
}

export async function openRequest(store: SessionStore, sessionId: string, at: string, id: string): Promise<void> {
  const parts: RequestOpenedParts = { id, kind: 'approval' }
  await store.decide(folding(sessionId, at, [() => systemEvent('request_opened', parts, `May I ${id}?`)]))
}

export async function resolveRequest(store: SessionStore, sessionId: string, at: string, id: string): Promise<void> {
  const parts: RequestResolvedParts = { id, value: true }
  await store.decide(folding(sessionId, at, [() => systemEvent('request_resolved', parts)]))
}
