import {
  ImportConflictError,
  SequenceConflictError,
  SessionActiveError,
  ThroughlineError,
  ValidationError,
} from '../../domain/errors.ts'
import type { SessionView, StartedParts } from '../../domain/fold.ts'
import { endTime, isWithin } from '../../domain/record.ts'
import type { FoundImport } from '../../ports/import-store.ts'
import { entryOf, foldedEnvelope } from '../envelope/operation.ts'
import { isMilestone } from '../kernel/decide.ts'
import { type Deps, keyOf, now } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { storedView } from '../kernel/stored-view.ts'
import { expireSession } from '../sessions/operation.ts'
import { type BlockOutcome, refusedBlock, sessionIdIn } from './batches.ts'
import { type CheckedBlock, checkedBlock, folded } from './checked-block.ts'
import { blocksInput } from './schema.ts'

/** Sessions written concurrently. */
const AT_ONCE = 8
/** Retries when another importer of the same session was faster. */
const ATTEMPTS = 50

/** Imports blocks and returns the outcome of each. A refused block does not affect other sessions. */
export async function importBlocks(deps: Deps, input: readonly unknown[]): Promise<BlockOutcome[]> {
  requireWhole(deps)
  const blocks = parse(blocksInput, input)
  const outcomes: BlockOutcome[] = []
  const bySession = Map.groupBy(blocks.keys(), (i) => sessionIdIn(blocks[i])).values()
  const worker = async () => {
    for (const indexes of bySession) {
      let outcome: BlockOutcome | undefined
      for (const i of indexes) {
        // later blocks of a refused one would only be refused for the gap
        const isOut = outcome !== undefined && 'code' in outcome
        outcome = isOut ? (outcome as BlockOutcome) : await importBlock(deps, blocks[i]).catch(refusalOf(blocks[i]))
        outcomes[i] = outcome
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return outcomes
}

function requireWhole({ within }: Deps): void {
  if (within?.userId === undefined) return
  throw new ValidationError('principal', 'must be the operator or a whole tenant: a single user cannot import sessions')
}

const REFUSALS: ReadonlySet<string> = new Set([
  'VALIDATION',
  'TOO_LARGE',
  'IMPORT_CONFLICT',
  'SESSION_ACTIVE',
  'SEQUENCE_CONFLICT',
])

/** The outcome for an error that concerns only this block. */
function refusalOf(block: unknown): (error: unknown) => BlockOutcome {
  return (error) => {
    if (!(error instanceof ThroughlineError) || !REFUSALS.has(error.code)) throw error
    return refusedBlock(block, error)
  }
}

async function importBlock(deps: Deps, input: unknown): Promise<BlockOutcome> {
  const block = checkedBlock(input)
  requireOwnTenant(deps, block)
  for (let attempt = 1; ; attempt++) {
    try {
      return await written(deps, block)
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
      // another importer was faster: read again
      if (error instanceof SequenceConflictError) continue
      if (error instanceof SessionActiveError && (await hasMadeRoom(deps, error))) continue
      throw error
    }
  }
}

function startedParts({ events: [first] }: CheckedBlock): StartedParts | undefined {
  return first?.sequence === 1 ? (JSON.parse(first.parts ?? '{}') as StartedParts) : undefined
}

function requireOwnTenant({ within }: Deps, block: CheckedBlock): void {
  const tenant = startedParts(block)?.tenant
  if (within === undefined || tenant === undefined || tenant === within.tenant) return
  throw new ValidationError('events[0].parts.tenant', 'must be your own')
}

/** The live session in the way may have expired: then record its end. */
async function hasMadeRoom(deps: Deps, { details }: SessionActiveError): Promise<boolean> {
  const { within: _within, ...anyone } = deps
  const view = await deps.store.load({ sessionId: details.sessionId })
  if (view === undefined || view.record.endedAt !== undefined) return true
  if (endTime(view.record, now(deps)) === undefined) return false
  await expireSession(anyone, details.sessionId)
  return true
}

/** Writes the events of the block that are missing. */
async function written(deps: Deps, block: CheckedBlock): Promise<BlockOutcome> {
  const { sessionId, events, done } = block
  const found = await stillGood(deps, block, await deps.store.imports.find(sessionId))
  const head = found?.view.record.head ?? 0
  const rest = events.filter(({ sequence }) => sequence > head)
  const [first] = rest
  const counts = { sessionId, events: events.length, written: rest.length }
  if (first === undefined) return done ? { ...counts, became: 'unchanged' } : counts
  if (first.sequence !== head + 1) {
    throw new ValidationError('events[0].sequence', `must be ${head + 1}: the events before it are missing here`)
  }
  const before = found && (await withEnvelope(deps, found))
  const { view, ...rows } = folded(sessionId, rest, before)
  await deps.store.imports.write({ sessionId, after: head, events: rest, view: storedView(deps, view), ...rows, done })
  const isThere = found?.isUnfinished === false
  if (isThere || done) {
    if (view.envelope !== undefined && view.envelopeAt > head) {
      await deps.cache?.wrote(sessionId, entryOf(view.envelope, view.envelopeAt))
    }
    deps.background.wrote(sessionId, view.record.endedAt !== undefined || rest.some(isMilestone))
  }
  return done ? { ...counts, became: isThere ? 'extended' : 'created' } : counts
}

/** The stored part of the session, if both agree as far as they go. An unfinished import of another log is removed. */
async function stillGood(
  deps: Deps,
  block: CheckedBlock,
  found: FoundImport | undefined,
): Promise<FoundImport | undefined> {
  if (found === undefined) return undefined
  const { sessionId, events, done } = block
  const { record } = found.view
  const owner = startedParts(block)
  if (!isWithin(record, deps.within) || (owner !== undefined && !isWithin(record, ownerOf(owner)))) {
    throw new ImportConflictError({ sessionId, reason: 'owner' })
  }
  const last = events.at(-1)
  const sequence = Math.min(record.head, last?.sequence ?? 0)
  const came = events.find((event) => event.sequence === sequence)
  // a block beyond the head is refused for the gap
  if (came === undefined) return found
  const here = await idAt(deps, found, sequence)
  const isSame = here === undefined || here === came.id
  // an earlier import had as many events or more: an ended session cannot take events back
  const isOver = found.isUnfinished && done && sequence === last?.sequence
  if (isSame && !isOver) return found
  if (!found.isUnfinished) throw new ImportConflictError({ sessionId, reason: 'event', sequence })
  await deps.store.imports.discard({ sessionId })
  if (owner !== undefined) return undefined
  throw new ValidationError(
    'events',
    'differ from those of an unfinished import, which was removed: import the session again',
  )
}

const ownerOf = ({ tenant, userId }: StartedParts) => ({ tenant, userId })

/** Id of a stored event; of an unfinished import only the last one is known. */
async function idAt(deps: Deps, found: FoundImport, sequence: number): Promise<string | undefined> {
  const { view, lastEventId, isUnfinished } = found
  if (sequence === view.record.head) return lastEventId
  if (isUnfinished) return undefined
  const query = { after: sequence - 1, order: 'asc', limit: 1 } as const
  const [stored] = await deps.store.read(keyOf(deps, view.record.id), query)
  return stored?.id
}

/**
 * The views with the envelope, from which the next events continue. An unfinished import keeps it from the first event.
 */
async function withEnvelope(deps: Deps, { view, isUnfinished }: FoundImport): Promise<SessionView> {
  if (!deps.keepsEnvelopes || view.envelope !== undefined || isUnfinished) return view
  return { ...view, envelope: await foldedEnvelope(deps, view.record.id, view.envelopeAt) }
}
