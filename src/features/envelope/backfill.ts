import type { BackfillOptions, BackfillReport } from '../../api.ts'
import { applyEnvelopeChange, type EnvelopeChange, type EnvelopeView } from '../../domain/envelope.ts'
import { SessionEndedError, ThroughlineError } from '../../domain/errors.ts'
import { initialView, type StartedParts } from '../../domain/fold.ts'
import { encodeJson, type JsonObject } from '../../domain/json.ts'
import type { LegacySession } from '../../domain/legacy.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import type { EnvelopeRow } from '../../ports/envelope-store.ts'
import type { LegacySource } from '../../ports/legacy-source.ts'
import { requireOperator } from '../kernel/access.ts'
import { newEvent } from '../kernel/decide.ts'
import { type Deps, defaultAgent, now } from '../kernel/deps.ts'
import { parse, uuid } from '../kernel/parse.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { storedView } from '../kernel/stored-view.ts'
import { checkMetadata } from './metadata.ts'
import { decideOnEnvelope, envelopeDraft } from './operation.ts'
import { backfillOptions, legacyNames } from './schema.ts'
import { counted, entryOf, envelopeIn, foldedEnvelope } from './stored-envelope.ts'

/** Sessions looked up per call. */
const PAGE = 200
/** Sessions written concurrently. */
const WRITERS = 16
/** Problems listed in a report. */
const NAMED = 100

type Plan = 'created' | 'updated' | 'unchanged' | 'kept'

interface Work {
  batch: string
  dryRun: boolean
  /** Owner of sessions without one. */
  tenant: string
  userId: string
}

/**
 * Imports sessions and envelopes of a legacy system. Sessions that are already right are left alone, so it can be
 * repeated.
 */
export async function backfill(deps: Deps, input: BackfillOptions): Promise<BackfillReport> {
  requireOperator(deps)
  const { from, table, limit = Number.POSITIVE_INFINITY, after, onProgress, ...given } = parse(backfillOptions, input)
  const work: Work = { ...given, batch: given.batch ?? `backfill-${now(deps)}` }
  const report: BackfillReport = {
    batch: work.batch,
    dryRun: work.dryRun,
    sessions: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    kept: 0,
    failed: 0,
    problems: [],
  }
  const source = await deps.legacy(defined({ from, table }))
  try {
    const of = Math.min(limit, await source.count(after))
    onProgress?.({ sessions: 0, of })
    for await (const page of pagesOf(source, after, limit)) {
      await takePage(deps, work, page, report)
      onProgress?.({ sessions: report.sessions, of })
    }
  } finally {
    await source.close()
  }
  return report
}

async function* pagesOf(
  source: LegacySource,
  after: string | undefined,
  limit: number,
): AsyncGenerator<LegacySession[]> {
  let page: LegacySession[] = []
  let left = limit
  for await (const session of source.sessions(after)) {
    page.push(session)
    left--
    if (page.length < PAGE && left > 0) continue
    yield page
    page = []
    if (left === 0) return
  }
  if (page.length > 0) yield page
}

async function takePage(deps: Deps, work: Work, page: readonly LegacySession[], report: BackfillReport): Promise<void> {
  const ids = page.flatMap(({ id }) => uuid().safeParse(id).data ?? [])
  const known = new Map((await deps.store.envelopes.find(ids)).map((row) => [row.sessionId, row]))
  const waiting = [...page]
  const writer = async () => {
    for (let session = waiting.shift(); session !== undefined; session = waiting.shift()) {
      await take(deps, work, session, known, report)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  report.sessions += page.length
  const last = page.at(-1)?.id
  if (last !== undefined) report.last = last
}

/** Imports one session, or reports why not. A store failure ends the whole backfill. */
async function take(
  deps: Deps,
  work: Work,
  session: LegacySession,
  known: ReadonlyMap<string, EnvelopeRow>,
  report: BackfillReport,
): Promise<void> {
  const note = (problem: string, failed: boolean) => {
    if (report.problems.length < NAMED) report.problems.push({ sessionId: session.id.slice(0, 64), problem, failed })
  }
  for (const problem of session.problems) note(problem, false)
  try {
    const id = parse(uuid, session.id, 'session_id')
    checkMetadata(deps, session.metadata)
    encodeJson(session.analysis, 'analysis', LIMITS.metadata)
    parse(legacyNames, session)
    report[await write(deps, work, { ...session, id }, known.get(id))]++
  } catch (error) {
    if (!(error instanceof ThroughlineError) || error.code === 'STORAGE') throw error
    report.failed++
    note(error.message, true)
  }
}

async function write(deps: Deps, work: Work, session: LegacySession, row: EnvelopeRow | undefined): Promise<Plan> {
  if (row !== undefined) {
    const envelope = row.envelope ?? (await foldedEnvelope(deps, row.sessionId, row.envelopeAt))
    const plan = planFor(envelope, session)
    // the process that wrote it may have died before updating the cache
    if (plan === 'unchanged' && !work.dryRun) await deps.cache?.wrote(row.sessionId, entryOf(envelope, row.envelopeAt))
    if (plan !== 'updated') return plan
  }
  const plan = row === undefined ? 'created' : 'updated'
  if (work.dryRun) return plan
  return await counted(
    deps,
    'backfill',
    async () => {
      const isNew = row === undefined && (await create(deps, work, session))
      const updated = await update(deps, work, session)
      return isNew ? 'created' : updated
    },
    (done) => done === 'created' || done === 'updated',
  )
}

/** False if someone else created it at this very moment. */
async function create(deps: Deps, work: Work, session: LegacySession): Promise<boolean> {
  const { id, tenant = work.tenant, subject = work.userId, issuer, scope, metadata, createdAt } = session
  const identity = defined({ issuer, scope })
  const parts = (conversationId: string): StartedParts => ({
    tenant,
    userId: subject,
    chatmode: 'default',
    conversationId,
    agent: defaultAgent(deps),
    metadata,
    batch: work.batch,
    ...(Object.keys(identity).length > 0 && { identity }),
  })
  const at = now(deps)
  // each legacy session becomes a conversation of its own; if the name is in use, it gets another
  for (const conversationId of [id, deps.newId()]) {
    const event = newEvent(
      deps,
      defined({
        type: 'session_started' as const,
        content: 'Session started',
        parts: parts(conversationId) as unknown as JsonObject,
        occurredAt: createdAt,
      }),
    )
    const view = initialView(sessionEvent(id, { ...event, sequence: 1, createdAt: at }))
    const { outcome } = await deps.store.create({
      event,
      at,
      view: storedView(deps, view),
      reuse: 'none',
      ignorePause: true,
    })
    if (outcome !== 'blocked') return outcome === 'created'
  }
  return false
}

async function update(deps: Deps, { batch }: Work, session: LegacySession): Promise<Plan> {
  const change = changeOf(session, batch)
  const { updatedAt } = session
  let plan: Plan = 'updated'
  const decide = ({ envelope }: { envelope: EnvelopeView }) => {
    plan = planFor(envelope, session)
    return plan === 'updated' ? [defined({ ...envelopeDraft(change), occurredAt: updatedAt })] : []
  }
  try {
    const { view } = await decideOnEnvelope(deps, session.id, decide, {})
    await deps.cache?.wrote(session.id, entryOf(await envelopeIn(deps, view), view.envelopeAt))
    return plan
  } catch (error) {
    if (error instanceof SessionEndedError) return 'kept'
    throw error
  }
}

/** The change that an existing session needs; none if others have written to it since. */
function planFor(envelope: EnvelopeView, session: LegacySession): Plan {
  if (envelope.batch === undefined) return 'kept'
  return isSame(envelope, session) ? 'unchanged' : 'updated'
}

function changeOf({ personaId, metadata, analysis }: LegacySession, batch: string): EnvelopeChange {
  return { personaId, metadata, analysis, whole: true, batch }
}

/** Whether the envelope matches the legacy data. Its owner was fixed when it was created. */
function isSame(envelope: EnvelopeView, session: LegacySession): boolean {
  const { persona_id, metadata, analysis } = envelope.document
  const after = applyEnvelopeChange(envelope, changeOf(session, ''), '').document
  return (
    JSON.stringify([persona_id, metadata, analysis]) ===
    JSON.stringify([after.persona_id, after.metadata, after.analysis])
  )
}
