import type { EnvelopePatch, WriteOptions } from '../../api.ts'
import { applyEnvelopeChange, type Envelope, type EnvelopeChange, type EnvelopeView } from '../../domain/envelope.ts'
import { SessionNotFoundError, StorageError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import { encodeJson, type Json, type JsonObject, parseJsonInput } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isWithin } from '../../domain/record.ts'
import type { Cached } from '../../ports/envelope-cache.ts'
import { type Decide, type Decided, type Draft, decideOnCompleted, type KeyedCall } from '../kernel/decide.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { parse, writeOptions } from '../kernel/parse.ts'
import { checkMetadata } from './metadata.ts'
import { envelopeChange, envelopeSchema } from './schema.ts'
import { counted, entryOf, envelopeIn } from './stored-envelope.ts'

export { checkMetadata } from './metadata.ts'
export { counted, entryOf, envelopeIn, foldedEnvelope } from './stored-envelope.ts'

/** The envelope from the cache, else from the store, which then fills the cache. */
export async function readEnvelope(deps: Deps, id: string): Promise<Envelope> {
  const cached = deps.keepsEnvelopes ? await deps.cache?.get(id) : undefined
  const known = cached?.value === undefined ? undefined : documentIn(deps, id, cached.value)
  // it seems to belong to someone else: let the store decide, as if there were no cache
  if (known === undefined || !isWithin({ tenant: known.tenant, userId: known.subject }, deps.within)) {
    return await refresh(deps, id, cached)
  }
  return known
}

/** The cached value, if it is an envelope of this session; anything else is counted. */
function documentIn({ metrics }: Deps, id: string, value: string): Envelope | undefined {
  const json = jsonIn(value)
  const { success, data } = envelopeSchema().safeParse(json)
  // not the schema's output, which reorders the keys
  if (success && data.session_id === id && data.tenant !== undefined && data.subject !== undefined) {
    return json as unknown as Envelope
  }
  metrics.invalid('cached_envelope')
  return undefined
}

/** A cached text as JSON; `undefined` if it is none. */
export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Reads the store and, if the cache was asked, fills it before returning. */
async function refresh(deps: Deps, id: string, cached: Cached | undefined): Promise<Envelope> {
  const began = performance.now()
  const count = (result: 'found' | 'missing' | 'error') => {
    if (cached !== undefined) deps.metrics.refreshed(result, (performance.now() - began) / 1000)
  }
  let view: SessionView
  let envelope: EnvelopeView
  try {
    view = await existing(deps, id)
    envelope = await envelopeIn(deps, view)
  } catch (error) {
    count(error instanceof SessionNotFoundError ? 'missing' : 'error')
    throw error
  }
  count('found')
  if (cached !== undefined) {
    const entry = entryOf(envelope, view.envelopeAt)
    // a broken value counts as current: only a write replaces it
    if (cached.value !== undefined) await deps.cache?.wrote(id, entry)
    else await deps.cache?.fill(id, entry, cached.lease)
  }
  return envelope.document
}

async function existing(deps: Deps, id: string): Promise<SessionView> {
  const view = await deps.store.load(keyOf(deps, id))
  if (view === undefined) throw new SessionNotFoundError(id)
  return view
}

/** Changes the envelope in the store, then in the cache. */
export async function updateEnvelope(
  deps: Deps,
  id: string,
  input: EnvelopePatch,
  options: WriteOptions = {},
): Promise<Envelope> {
  const { idempotencyKey } = parse(writeOptions, options)
  const change = changeIn(deps, input)
  const decide = ({ envelope }: Complete) => draftsOf(envelope, change)
  const { view } = await counted(
    deps,
    'update',
    () => decideOnEnvelope(deps, id, decide, { command: ['updateEnvelope', change], idempotencyKey }),
    (decided) => decided.events.length > 0 && !decided.replayed,
  ).catch(async (error: unknown) => {
    // it may have been written nevertheless
    if (error instanceof StorageError) await deps.cache?.purged(id)
    throw error
  })
  const envelope = await envelopeIn(deps, view)
  // also if nothing was written now: the process that wrote it may have died before updating the cache
  await deps.cache?.wrote(id, entryOf(envelope, view.envelopeAt))
  return envelope.document
}

function changeIn(deps: Deps, input: EnvelopePatch): EnvelopeChange {
  const { personaId } = checked(deps, () => parse(envelopeChange, input))
  // not the schema's output, which reorders the keys
  const { metadata, analysis } = input
  if (metadata !== undefined) checkMetadata(deps, metadata)
  const json = (value: unknown, field: string) =>
    checked(deps, () => parseJsonInput<JsonObject>(value, field, LIMITS.metadata))
  return {
    ...(personaId !== undefined && { personaId }),
    ...(metadata !== undefined && { metadata: json(metadata, 'metadata') }),
    ...(analysis !== undefined && { analysis: json(analysis, 'analysis') }),
  }
}

function checked<T>({ metrics }: Deps, check: () => T): T {
  try {
    return check()
  } catch (error) {
    metrics.invalid('invalid_input')
    throw error
  }
}

function draftsOf(envelope: EnvelopeView, change: EnvelopeChange): Draft[] {
  const before = envelope.document
  const after = applyEnvelopeChange(envelope, change, before.timestamps.updated_at).document
  encodeJson(after.metadata, 'metadata', LIMITS.metadata)
  encodeJson(after.analysis, 'analysis', LIMITS.metadata)
  const isSame = JSON.stringify(after) === JSON.stringify(before)
  return isSame ? [] : [envelopeDraft(change)]
}

/** The event of an envelope change. */
export function envelopeDraft(change: EnvelopeChange): Draft {
  const content = change.personaId === undefined ? 'Envelope updated' : `Persona: ${change.personaId || 'none'}`
  return { type: 'envelope_updated', content, parts: change as JsonObject }
}

/** Views that include the envelope. */
export type Complete = SessionView & { envelope: EnvelopeView }

/**
 * Decides on views with their envelope. If the store has no current one, it is folded first, and the decision stores
 * it.
 */
export async function decideOnEnvelope(
  deps: Deps,
  id: string,
  decide: (view: Complete, at: string) => readonly Draft[],
  call: KeyedCall,
): Promise<Decided> {
  for (let folded: Complete | undefined; ; ) {
    let lacking = false
    const complete = (view: SessionView): SessionView => {
      if (view.envelope !== undefined) return view
      if (folded?.envelopeAt === view.envelopeAt) return { ...view, envelope: folded.envelope }
      lacking = true
      return view
    }
    const decideWhole: Decide = (view, at) => (lacking ? [] : decide(view as Complete, at))
    const decided = await decideOnCompleted(deps, id, decideWhole, complete, call)
    if (!lacking || decided.replayed) return decided
    const view = await existing(deps, id)
    folded = { ...view, envelope: await envelopeIn(deps, view) }
  }
}
