import type { EnvelopeView } from '../../domain/envelope.ts'
import { ThroughlineError } from '../../domain/errors.ts'
import { evolve, initialView, type SessionView } from '../../domain/fold.ts'
import { encodeTrustedJson } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { CacheEntry } from '../../ports/envelope-cache.ts'
import type { EnvelopeWrite } from '../../ports/metrics.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { sessionEvent } from '../kernel/stored-event.ts'

/** Event types that an envelope is folded from. */
const TYPES = ['session_started', 'session_forked', 'envelope_updated'] as const

/** The envelope of these views, folded from the log if the store has no current one. */
export async function envelopeIn(deps: Deps, view: SessionView): Promise<EnvelopeView> {
  if (deps.keepsEnvelopes && view.envelope !== undefined) return view.envelope
  return await foldedEnvelope(deps, view.record.id, view.envelopeAt)
}

/** The envelope after the event `at`, folded from the few events that change it. */
export async function foldedEnvelope(deps: Deps, sessionId: string, at: number): Promise<EnvelopeView> {
  let view: SessionView | undefined
  for (let after = 0; after < at; ) {
    const page = await deps.store.read(keyOf(deps, sessionId), {
      types: TYPES,
      after,
      before: at + 1,
      order: 'asc',
      limit: LIMITS.page,
    })
    for (const stored of page) {
      const event = sessionEvent(sessionId, stored)
      view = view === undefined ? initialView(event) : evolve(view, event)
    }
    after = page.at(-1)?.sequence ?? at
  }
  return view?.envelope as EnvelopeView
}

/** The envelope in the form the cache keeps. */
export function entryOf(envelope: EnvelopeView, envelopeAt: number): CacheEntry {
  return { value: encodeTrustedJson(envelope.document), version: envelopeAt }
}

/** Runs the work and counts a written envelope or a failure. Refusals and repeats are not counted. */
export async function counted<T>(
  { metrics, keepsEnvelopes }: Deps,
  operation: EnvelopeWrite,
  work: () => Promise<T>,
  hasWritten: (result: T) => boolean,
): Promise<T> {
  const began = performance.now()
  const count = (status: 'ok' | 'error') => {
    if (keepsEnvelopes) metrics.wrote(operation, status, (performance.now() - began) / 1000)
  }
  try {
    const result = await work()
    if (hasWritten(result)) count('ok')
    return result
  } catch (error) {
    if (!(error instanceof ThroughlineError) || error.code === 'STORAGE') count('error')
    throw error
  }
}
