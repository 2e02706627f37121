import type { ExportedEvent } from '../../api.ts'
import { TooLargeError, ValidationError } from '../../domain/errors.ts'
import { checkCallCount, isConversationType, RECORDED_TYPES, type RecordedType } from '../../domain/event.ts'
import { evolve, initialView, type SessionView } from '../../domain/fold.ts'
import { edgesOf } from '../../domain/graph.ts'
import { encodeJson } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { partsLevel } from '../../domain/rewind.ts'
import { isChangeNeeded } from '../../domain/scratchpad.ts'
import { carriesUsage, type UsageChange, UsageRows } from '../../domain/usage.ts'
import type { ChecksummedEvent, StoredEdge, StoredEvent } from '../../ports/session-store.ts'
import { checksumOf } from '../kernel/event-checksum.ts'
import { parse } from '../kernel/parse.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { checkNext } from './check-transitions.ts'
import { RECORDED_PARTS } from './recorded-parts.ts'
import { sessionBlock } from './schema.ts'

/** A block whose events are in the form stores accept. */
export interface CheckedBlock {
  readonly sessionId: string
  readonly events: readonly ChecksummedEvent[]
  readonly done: boolean
}

/** Checks a block from an untrusted source; throws `ValidationError` or `TooLargeError`. */
export function checkedBlock(input: unknown): CheckedBlock {
  const { sessionId, events, done } = parse(sessionBlock, input)
  const stored = events.map((event, i) => checkedEvent(event as ExportedEvent, i))
  const size = stored.reduce((sum, { content, parts = '' }) => sum + content.length + parts.length, 0)
  if (size > LIMITS.append) throw new TooLargeError({ field: 'events', limit: LIMITS.append, actual: size })
  const [first] = stored as [ChecksummedEvent, ...ChecksummedEvent[]]
  stored.forEach(({ sequence, type }, i) => {
    if (sequence !== first.sequence + i) {
      throw new ValidationError(
        `events[${i}].sequence`,
        `must be ${first.sequence + i}, directly after the previous one`,
      )
    }
    if ((sequence === 1) !== (type === 'session_started')) {
      throw new ValidationError(`events[${i}].type`, 'must be session_started for the first event and no other')
    }
  })
  return { sessionId, events: stored, done }
}

function checkedEvent({ parts, checksum, ...event }: ExportedEvent, i: number): ChecksummedEvent {
  const field = `events[${i}].parts`
  const isRecorded = Object.hasOwn(RECORDED_TYPES, event.type)
  if (isRecorded) parse(RECORDED_PARTS[event.type as RecordedType], parts, field)
  else checkCallCount({ type: event.type, parts }, field)
  // only callers' values have a limit of members: a commit may hold any number of observations
  const members = isRecorded ? Number.POSITIVE_INFINITY : LIMITS.members
  const level = partsLevel(event.type)
  const plain =
    parts === undefined ? event : { ...event, parts: encodeJson(parts, field, LIMITS.parts, level, members) }
  const actual = checksumOf(plain, checksum)
  if (checksum === undefined || checksum === actual) return { ...plain, checksum: actual }
  throw new ValidationError(
    `event ${event.sequence}`,
    'does not match its checksum: it was changed after it was written. Import an export that was made before',
  )
}

/** The views after some of its events, and the edges and the usage of those. */
export interface Folded {
  readonly view: SessionView
  readonly edges: StoredEdge[]
  readonly usage: UsageChange
}

/** Folds the events after `before`; throws `ValidationError` for an event that no store would have written there. */
export function folded(sessionId: string, events: readonly StoredEvent[], before: SessionView | undefined): Folded {
  let view = before
  const edges: StoredEdge[] = []
  const usage = new UsageRows()
  for (const stored of events) {
    // messages without usage change no view, so their parts need no parsing
    const { parts: _parts, ...plain } = stored
    const event = sessionEvent(sessionId, isConversationType(stored.type) && !mayHaveUsage(stored) ? plain : stored)
    if (view !== undefined) checkNext(view, event)
    try {
      view = view === undefined ? initialView(event) : evolve(view, event)
      usage.add(event)
      for (const { from, label, to, evidence } of edgesOf(event)) {
        edges.push({ from, label, to, evidence, sequence: stored.sequence })
      }
    } catch (cause) {
      throw new ValidationError(`event ${stored.sequence}`, 'has parts that cannot be read', { cause })
    }
  }
  checkViews(view as SessionView)
  return { view: view as SessionView, edges, usage: usage.change }
}

/** Whether the text of its parts has a member of that name; `encodeJson` escapes no letters. */
function mayHaveUsage({ type, parts }: StoredEvent): boolean {
  return carriesUsage(type) && parts?.includes('"usage"') === true
}

/** Limits that each change keeps, but many changes together may exceed. */
function checkViews({ record, state, envelope }: SessionView): void {
  encodeJson(record.metadata, 'metadata', LIMITS.metadata)
  isChangeNeeded(state.scratchpad, { op: 'merge', patch: {} }, (key) => `scratchpad.${key}`)
  if (envelope !== undefined) encodeJson(envelope.document.analysis, 'analysis', LIMITS.metadata)
}
