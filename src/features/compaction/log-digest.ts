import type { CompactOptions } from '../../api.ts'
import { isConversationType, type SessionEvent } from '../../domain/event.ts'
import { sizeOf } from '../../domain/event-size.ts'
import type { SessionView } from '../../domain/fold.ts'
import { defined } from '../../domain/optional.ts'
import type { SessionStatus } from '../../domain/record.ts'
import { isHidden } from '../../domain/rewind.ts'
import { extractiveSummary } from '../../domain/summary.ts'
import { type WorkSummary, workBuilder } from '../../domain/work.ts'
import type { StoredEvent } from '../../ports/session-store.ts'
import { nodeCrypto } from '../kernel/crypto.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { walkStored } from '../kernel/history.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { EventSample } from './event-sample.ts'

/** A range of sequences, both ends included. */
export interface Range {
  from: number
  to: number
}

/** What a range of a log contains, for a commit or a summary. */
export interface LogDigest {
  work: WorkSummary
  /** The last summary proposed to the user. */
  proposed?: string
  lastModelMessage?: string
  /** The first and the last events of the conversation. */
  sampledEvents: SessionEvent[]
  range: Range
  /** Hash of the events in the range, see {@link hashOf}. */
  hash: string
}

/**
 * Reads the range once, page by page. The hash is of all its events; everything else leaves out those that a rewind has
 * hidden.
 */
export async function digestLog(
  deps: Deps,
  { record: { id }, hidden }: Pick<SessionView, 'record' | 'hidden'>,
  range: Range,
  onProgress?: CompactOptions['onProgress'],
): Promise<LogDigest> {
  const hash = nodeCrypto().createHash('sha256')
  const builder = workBuilder(await deps.tools())
  if (range.from > 1) {
    // the first event says in which folder the session works
    const [first] = await deps.store.read(keyOf(deps, id), { before: 2, order: 'asc', limit: 1 })
    if (first !== undefined) builder.start(sessionEvent(id, first))
  }
  const sample = new EventSample()
  const digest: Pick<LogDigest, 'lastModelMessage' | 'proposed'> = {}
  let events = 0
  for await (const page of walkStored(deps, keyOf(deps, id), { after: range.from - 1, last: range.to })) {
    for (const stored of page) {
      hash.update(hashedLine(stored))
      if (isHidden(hidden, stored.sequence)) continue
      const event = sessionEvent(id, stored)
      builder.add(event)
      if (event.type === 'model_message' && event.content.trim() !== '') digest.lastModelMessage = event.content
      const proposal = proposedIn(event)
      if (proposal !== undefined) digest.proposed = proposal
      if (isConversationType(event.type)) sample.add(event, sizeOf(stored))
    }
    events += page.length
    onProgress?.({ events, of: range.to - range.from + 1 })
  }
  return { ...digest, sampledEvents: sample.events, work: builder.finish(), range, hash: hash.digest('hex') }
}

/** A summary of the digest by the summarizer or, if it fails, an extract. `before` is the summary so far. */
export async function summarize(deps: Deps, digest: LogDigest, task: string | undefined, before?: string) {
  const { work, proposed, lastModelMessage, sampledEvents } = digest
  const extractive = () => extractiveSummary({ task, work, lastModelMessage, proposed })
  const [first] = sampledEvents
  const known = before !== undefined &&
    first && { ...first, type: 'system_event' as const, content: `So far: ${before}` }
  const { summary, by, fallback } = await deps.summarize({
    events: known ? [known, ...sampledEvents] : sampledEvents,
    task,
    extractive,
  })
  return defined({ summary, summarizedBy: by, fallback })
}

/** SHA-256 of the events of a range, to compare with the hash in a commit or a summary. */
export async function hashOf(deps: Deps, id: string, range: Range): Promise<string> {
  const hash = nodeCrypto().createHash('sha256')
  for await (const page of walkStored(deps, keyOf(deps, id), { after: range.from - 1, last: range.to })) {
    for (const stored of page) hash.update(hashedLine(stored))
  }
  return hash.digest('hex')
}

/** One event as it is hashed: everything that was written, nothing that differs in a copy. */
export function hashedLine({
  sequence,
  type,
  role,
  content,
  parts,
  agentId,
  occurredAt,
  createdAt,
}: StoredEvent): string {
  return `${JSON.stringify([sequence, type, role, content, parts, agentId, occurredAt, createdAt])}\n`
}

function proposedIn({ type, parts }: SessionEvent): string | undefined {
  if (type !== 'status_changed') return undefined
  const { status } = parts as unknown as { status: SessionStatus }
  return status.state === 'pending_complete' ? status.summary : undefined
}
