import assert from 'node:assert/strict'
import type { EnvelopeChange } from '../../domain/envelope.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { evolve, initialView, type SessionView } from '../../domain/fold.ts'
import { defined } from '../../domain/optional.ts'
import type { EnvelopeRow } from '../../ports/envelope-store.ts'
import type { DecideRequest, SessionKey } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { NOON, readLog, someEvent } from './samples.ts'

/** A decision that changes the envelope, with an unrelated event before and after. */
export function changeEnvelope(sessionId: string, change: EnvelopeChange, at = NOON): DecideRequest {
  const events = ['x.before', 'envelope_updated', 'x.behind'].map((type) =>
    someEvent('changed', type, type === 'envelope_updated' ? { parts: JSON.stringify(change) } : {}),
  )
  const facts = (head: number) =>
    events.map((event, i) => ({ ...event, sessionId, sequence: head + i + 1, createdAt: at, parts: change }))
  return {
    sessionId,
    at,
    decide: (view) => ({ events, view: (facts(view.record.head) as unknown as SessionEvent[]).reduce(evolve, view) }),
  }
}

/** The same with envelopes turned off. */
export function changeWithoutEnvelope(sessionId: string, change: EnvelopeChange, at = NOON): DecideRequest {
  const { decide, ...request } = changeEnvelope(sessionId, change, at)
  return {
    ...request,
    decide(view) {
      const { events, view: after } = decide(view)
      return { events, view: withoutEnvelope(after) }
    },
  }
}

export function withoutEnvelope({ envelope: _, ...view }: SessionView): SessionView {
  return view
}

export async function loadView(store: Store, key: SessionKey): Promise<SessionView> {
  const view = await store.load(key)
  assert(view)
  return view
}

/** The views folded from a log. */
export async function foldLog(store: Store, sessionId: string): Promise<SessionView> {
  const log = (await readLog(store, sessionId)).map(({ parts, ...event }) => ({
    ...event,
    sessionId,
    ...(parts !== undefined && { parts: JSON.parse(parts) }),
  })) as unknown as SessionEvent[]
  return log.slice(1).reduce(evolve, initialView(log[0] as SessionEvent))
}

/** The expected row of `page` and `find`. */
export async function expectedRow(store: Store, sessionId: string): Promise<EnvelopeRow> {
  const { envelopeAt, envelope } = await loadView(store, { sessionId })
  return defined({ sessionId, envelopeAt, envelope })
}
