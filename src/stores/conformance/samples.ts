import assert from 'node:assert/strict'
import type { ErrorCode } from '../../domain/errors.ts'
import { evolve, initialView, type SessionView, type StartedParts } from '../../domain/fold.ts'
import { abortFor } from '../../domain/lifecycle.ts'
import type { Memory } from '../../domain/memory/memory.ts'
import type { TextAnalysis } from '../../domain/recall/analyze.ts'
import type { AbortCause } from '../../domain/record.ts'
import { checksumOf } from '../../features/kernel/event-checksum.ts'
import { uuid7 } from '../../ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ChangeRequest, MemoryPut } from '../../ports/memory-store.ts'
import type { NewMessage, UserKey } from '../../ports/recall-index.ts'
import type {
  AppendRequest,
  ChecksummedEvent,
  CreateRequest,
  NewEvent,
  SessionStore,
} from '../../ports/session-store.ts'

/** The time of most tests. */
export const NOON = '2026-03-01T12:00:00.000Z'

/** A clock that stands still until it is advanced. */
export interface FixedClock extends Clock {
  /** Advances the clock. */
  advance(ms: number): void
}

/** A clock for tests. @param start ISO 8601 time */
export function fixedClock(start = NOON): FixedClock {
  let at = Date.parse(start)
  return {
    now: () => at,
    advance(ms) {
      at += ms
    },
  }
}

/** The time `count` seconds after noon. */
export function noonPlus(count: number): string {
  return new Date(Date.parse(NOON) + count * 1000).toISOString()
}

/** An event, by default a message of the user, with its checksum. */
export function someEvent(content = 'hello', type = 'user_message', given: Partial<NewEvent> = {}): NewEvent {
  const event = { id: uuid7(), type, role: 'user', content, ...given }
  return { ...event, checksum: checksumOf(event) }
}

export function someEvents(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, i) => someEvent(`message ${i + 1}`))
}

/** A request to create a session. */
export function createRequest(
  input: Partial<StartedParts> & { id?: string; at?: string; reuse?: CreateRequest['reuse'] } = {},
): CreateRequest {
  const { id = uuid7(), at = NOON, reuse = 'none', ...rest } = input
  const parts: StartedParts = {
    tenant: 'local',
    userId: 'ada',
    chatmode: 'default',
    conversationId: uuid7(),
    agent: 'coach',
    metadata: {},
    ...rest,
  }
  const given = { role: 'system', parts: JSON.stringify(parts) }
  const event = someEvent('Session started', 'session_started', given)
  const { parts: _text, ...fields } = event
  const view = initialView({
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

/** Creates a session and returns its id. */
export async function createSession(
  store: SessionStore,
  given: Parameters<typeof createRequest>[0] = {},
): Promise<string> {
  const { outcome, record } = await store.create(createRequest(given))
  assert.equal(outcome, 'created')
  return record.id
}

/** A request to append. */
export function appendRequest(sessionId: string, given: Partial<AppendRequest> = {}): AppendRequest {
  return { sessionId, events: [someEvent()], at: NOON, ...given }
}

/** The view after a decision that advances the head and applies the given changes. */
export function advanceView(
  view: SessionView,
  events: number,
  change: Partial<SessionView['record']> = {},
): SessionView {
  return { ...view, record: { ...view.record, head: view.record.head + events, ...change } }
}

/** Forks a session at a sequence and returns the fork's id. */
export async function forkSession(
  store: SessionStore,
  sessionId: string,
  sequence: number,
  at = NOON,
): Promise<string> {
  const before = await store.load({ sessionId })
  assert(before)
  const id = uuid7()
  const event = someEvent('forked', 'session_forked', { parts: '{}' })
  const { metadata, chatmode } = before.record
  const parts = { from: { sessionId, sequence }, conversationId: uuid7(), chatmode, metadata }
  const view = evolve(
    { ...before, record: { ...before.record, head: sequence } },
    {
      ...event,
      sessionId: id,
      sequence: sequence + 1,
      createdAt: at,
      type: 'session_forked',
      role: 'system',
      parts: { ...parts },
    },
  )
  const { outcome } = await store.fork({ source: { sessionId, sequence }, event, at, view })
  assert.equal(outcome, 'created')
  return id
}

/** Ends a session by a decision. */
export async function endSession(store: SessionStore, sessionId: string, at = NOON): Promise<void> {
  await store.decide({
    sessionId,
    at,
    decide: (view) => ({
      events: [someEvent('over', 'status_changed')],
      view: advanceView(view, 1, { endedAt: at, lastActivityAt: at, status: { state: 'complete' } }),
    }),
  })
}

/** The owner of the sample sessions and memories. */
export const ADA: UserKey = { tenant: 'local', userId: 'ada' }

/** A description of terms, each at its given places or at one of its own. */
export function describeTerms(
  terms: readonly string[] | Readonly<Record<string, readonly number[]>>,
  given: Partial<Omit<TextAnalysis, 'places'>> = {},
): TextAnalysis {
  const places = new Map(
    Array.isArray(terms) ? terms.map((term, i) => [term, [2 * i + 2]]) : Object.entries(terms as object),
  )
  const length = [...places.values()].flat().length
  return { places, length, asked: 0, asks: false, specifics: 0, times: 0, counts: false, ...given }
}

/** A description whose iteration fails in every store. */
export function brokenDescription(): TextAnalysis {
  const fail = () => {
    throw new Error('unreadable')
  }
  const places = new Map([['word', [2]]])
  const broken = { get: fail, keys: fail, values: fail, entries: fail, forEach: fail, [Symbol.iterator]: fail }
  return { ...describeTerms([]), places: Object.assign(places, broken) }
}

/** A message to index; its sequence is its turn + 1. */
export function someMessage(
  turn: number,
  words: readonly string[] | TextAnalysis,
  given: Partial<NewMessage> = {},
): NewMessage {
  const description = 'places' in words ? words : describeTerms(words)
  const time = Date.parse(NOON) + turn
  return { turn, sequence: turn + 1, kind: 'event', speaker: 'user', time, words: description, ...given }
}

/** A memory. */
export function someMemory(given: Partial<Memory> = {}): Memory {
  return {
    id: uuid7(),
    ...ADA,
    category: 'facts',
    content: 'Ada plays the guitar',
    sourceType: 'explicit',
    confidence: 0.8,
    lineage: [{ relation: 'origin', at: NOON }],
    useCount: 0,
    createdAt: NOON,
    ...given,
  }
}

/** A change that stores these puts unconditionally. */
export function putRequest(puts: readonly MemoryPut[], given: Partial<ChangeRequest> = {}): ChangeRequest {
  return { ...ADA, at: NOON, decide: () => ({ puts }), ...given }
}

/** An error of this package; input errors name the field. */
type Refusal = Error & { code: string; field?: string; details: Readonly<Record<string, unknown>> }

/** Expects a rejection with this code and returns the error. */
export async function expectError(code: ErrorCode, promise: Promise<unknown>): Promise<Refusal> {
  try {
    await promise
  } catch (error) {
    assert.equal((error as { code?: string }).code, code, String(error))
    return error as Refusal
  }
  assert.fail(`expected ${code}, but it was accepted`)
}

/** Reads a session's whole log from a store. */
export async function readLog(store: SessionStore, sessionId: string) {
  return await store.read({ sessionId }, { order: 'asc', limit: 1_000_000 })
}

/** Reads a session's whole log with its checksums. */
export async function readChecksummedLog(store: SessionStore, sessionId: string): Promise<ChecksummedEvent[]> {
  const checksums = await store.checksums({ sessionId }, { after: 0, before: 1_000_000 })
  return (await readLog(store, sessionId)).map((event, i) => ({ ...event, checksum: checksums[i] ?? '' }))
}

/** 1 to n. */
export function upTo(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i + 1)
}

/** The status of a session that a rule aborted with this cause. */
export function abortedFor(cause: AbortCause) {
  return { state: 'aborted', reason: abortFor(cause).reason, cause } as const
}
