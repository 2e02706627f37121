import assert from 'node:assert/strict'
import type { ErrorCode } from '../../domain/errors.ts'
import { begin, type SessionView, type StartedParts } from '../../domain/fold.ts'
import { uuid7 } from '../../ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AppendRequest, CreateRequest, NewEvent, SessionStore } from '../../ports/session-store.ts'

/** The moment most tests happen at. */
export const NOON = '2026-03-01T12:00:00.000Z'

/** A clock that stands still until it is moved. */
export interface FixedClock extends Clock {
  /** Moves on by so many milliseconds. */
  advance(ms: number): void
}

/** A clock for tests. @param start ISO 8601 */
export function fixedClock(start = NOON): FixedClock {
  let at = Date.parse(start)
  return {
    now: () => at,
    advance(ms) {
      at += ms
    },
  }
}

/** The moment so many seconds after noon. */
export function seconds(count: number): string {
  return new Date(Date.parse(NOON) + count * 1000).toISOString()
}

export function someEvent(content = 'hello', type = 'user_message'): NewEvent {
  return { id: uuid7(), type, role: 'user', content }
}

export function someEvents(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, i) => someEvent(`message ${i + 1}`))
}

/** A request to create a session, with what matters to the test. */
export function creation(
  given: Partial<StartedParts> & { id?: string; at?: string; reuse?: CreateRequest['reuse'] } = {},
): CreateRequest {
  const { id = uuid7(), at = NOON, reuse = 'none', ...rest } = given
  const parts: StartedParts = {
    tenant: 'local',
    userId: 'ada',
    chatmode: 'default',
    conversationId: uuid7(),
    agent: 'coach',
    metadata: {},
    ...rest,
  }
  const event: NewEvent = {
    id: uuid7(),
    type: 'session_started',
    role: 'system',
    content: 'Session started',
    parts: JSON.stringify(parts),
  }
  const { parts: _text, ...fields } = event
  const view = begin({
    ...fields,
    type: 'session_started',
    role: 'system',
    sessionId: id,
    sequence: 1,
    createdAt: at,
    parts: { ...parts } as never,
  })
  return { event, at, view, reuse }
}

/** Creates a session and gives its id. */
export async function createdIn(store: SessionStore, given: Parameters<typeof creation>[0] = {}): Promise<string> {
  const { outcome, record } = await store.create(creation(given))
  assert.equal(outcome, 'created')
  return record.id
}

/** A request to append, with what matters to the test. */
export function appending(sessionId: string, given: Partial<AppendRequest> = {}): AppendRequest {
  return { sessionId, events: [someEvent()], at: NOON, ...given }
}

/** The view a decision leads to that only moves the head, and whatever else is given. */
export function moved(view: SessionView, events: number, change: Partial<SessionView['record']> = {}): SessionView {
  return { ...view, record: { ...view.record, head: view.record.head + events, ...change } }
}

/** Expects a rejection with this code, and gives the error. */
export async function refused(code: ErrorCode, promise: Promise<unknown>): Promise<Error & { code: string }> {
  try {
    await promise
  } catch (error) {
    assert.equal((error as { code?: string }).code, code, String(error))
    return error as Error & { code: string }
  }
  assert.fail(`expected ${code}, but it was accepted`)
}

/** Reads a session's whole log from a store. */
export async function logOf(store: SessionStore, sessionId: string) {
  return await store.read({ sessionId }, { order: 'asc', limit: 1_000_000 })
}

/** 1 to n. */
export function upTo(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i + 1)
}
