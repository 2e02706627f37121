import { setTimeout as delay } from 'node:timers/promises'
import {
  IdempotencyMismatchError,
  RunLostError,
  SequenceConflictError,
  SessionEndedError,
  SessionNotFoundError,
  StorageError,
} from '../../domain/errors.ts'
import type { AppendRequest, StoredEvent, WriteResult } from '../../ports/session-store.ts'
import { nextTick } from '../next-tick.ts'
import { storedEvent } from '../stored-event.ts'
import {
  BATCH_TYPES,
  batchColumns,
  type Group,
  keyedAppends,
  type PendingAppend,
  singleColumns,
  takeBatch,
} from './append-batch.ts'
import { type Connections, codeOf, isLost, isTimeout, type Statement, storageError } from './connection.ts'
import type { Partitions } from './partitions.ts'
import type { SessionLocator } from './session-locator.ts'
import { isoTime } from './times.ts'
import { appendedUsage } from './usage-json.ts'

const APPEND_ONE: Statement = {
  name: 'append-one',
  text: 'select context.append_event($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) as sequence',
}

const APPEND: Statement = {
  name: 'append',
  text: `
    select heads, refused, known
    from context.append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
      $21, $22, $23, $24, $25, $26, $27::json[], $28, $29, $30)`,
  arrays: BATCH_TYPES,
}

/** The same for events with usage: with the sums as one more parameter. */
const APPEND_ONE_WITH_USAGE: Statement = {
  name: 'append-one-with-usage',
  text: `
    select context.append_event_with_usage($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
      $17, $18) as sequence`,
}

const APPEND_WITH_USAGE: Statement = {
  name: 'append-with-usage',
  text: `
    select heads, refused, known
    from context.append_events_with_usage($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
      $19, $20, $21, $22, $23, $24, $25, $26, $27::json[], $28, $29, $30, $31)`,
  arrays: BATCH_TYPES,
}

/** How often an append with a key is sent again after the connection was lost. */
const MAX_RESENDS = 8

/** Milliseconds until an append is sent again that a decision holds back. */
const HELD = 5

/**
 * Why nothing was written to a session. `lost`: the run is over. `again`: another append of the batch had a stored key.
 * `wait`: a decision holds appends back.
 */
interface Refusal {
  outcome: 'missing' | 'ended' | 'conflict' | 'lost' | 'again' | 'wait'
  head?: number | null
  ended?: string | null
}

/** An append whose key is already stored: its number among the keyed appends, from 1, and the range of its events. */
interface StoredKey {
  number: number
  same: boolean
  first: number
  last: number
}

/** Result of a batch: for each session the head before its events, or null and the reason. Empty lists are null. */
interface BatchResult {
  heads: (number | null)[]
  refused: (Refusal | null)[] | null
  known: StoredKey[] | null
}

interface QueuedAppend extends PendingAppend {
  sent: number
  resolve(written: WriteResult): void
  reject(error: unknown): void
}

/**
 * Sends one batch at a time; appends that arrive meanwhile share the next. A single append is sent at once. Every
 * append has its own outcome, so a bad one fails alone. Where tables are split, each partition has a queue of its own.
 */
export interface AppendQueue {
  append(request: AppendRequest): Promise<WriteResult>
  idle(): Promise<void>
}

/** What the queues of one store share. */
interface Sender {
  connections: Connections
  locator: SessionLocator
  replay(request: AppendRequest, first: number, last: number): Promise<StoredEvent[]>
  onWritten(sessionIds: string[]): void
}

export function appendQueue(sender: Sender, { isSplit }: Partitions): AppendQueue {
  const queues = new Map<number, ReturnType<typeof oneQueue>>()

  function add(item: QueuedAppend): void {
    const number = isSplit ? item.partition : 0
    let queue = queues.get(number)
    if (queue === undefined) {
      queue = oneQueue(sender, add)
      queues.set(number, queue)
    }
    queue.add(item)
  }

  return {
    append(request) {
      return new Promise((resolve, reject) => {
        add({ request, partition: sender.locator.first(request), sent: 0, resolve, reject })
      })
    },
    async idle() {
      await Promise.all(Array.from(queues.values(), (queue) => queue.idle()))
    },
  }
}

/** `move` takes an append to another partition. */
function oneQueue({ connections, locator, replay, onWritten }: Sender, move: (item: QueuedAppend) => void) {
  const pending: QueuedAppend[] = []
  /** Sessions whose appends are held back. */
  const held = new Set<string>()
  let isRunning = false
  let running = Promise.resolve()

  async function run(): Promise<void> {
    isRunning = true
    for (let batch = takeBatch(pending, held); batch.length > 0; batch = takeBatch(pending, held)) {
      await send(batch)
      await nextTick()
    }
    isRunning = false
  }

  function start(): void {
    if (!isRunning) running = run()
  }

  async function send(groups: Group<QueuedAppend>[]): Promise<void> {
    const single = singleColumns(groups)
    const usage = appendedUsage(groups)
    try {
      if (single === undefined || !(await sendSingle(groups, single, usage))) await sendBatch(groups, usage)
    } catch (error) {
      const items = groups.flatMap((group) => group.items)
      for (const item of items) handleFailure(item, items.length, error)
    }
  }

  /** Returns whether the event was written. */
  async function sendSingle(
    [group]: Group<QueuedAppend>[],
    columns: unknown[],
    usage: string | undefined,
  ): Promise<boolean> {
    const [statement, values] =
      usage === undefined ? [APPEND_ONE, columns] : [APPEND_ONE_WITH_USAGE, [...columns, usage]]
    const [row] = await connections.query<{ sequence: number | null }>(statement, values, { retry: false })
    if (group === undefined || typeof row?.sequence !== 'number') return false
    onWritten([group.sessionId])
    for (const item of group.items) resolveWritten(item, row.sequence)
    return true
  }

  async function sendBatch(groups: Group<QueuedAppend>[], usage: string | undefined): Promise<void> {
    const keyed = keyedAppends(groups)
    const columns = batchColumns(groups, keyed)
    const [statement, values] = usage === undefined ? [APPEND, columns] : [APPEND_WITH_USAGE, [...columns, usage]]
    const [result] = await connections.query<BatchResult>(statement, values, { retry: false })
    const { heads, refused, known } = result as BatchResult
    onWritten(groups.filter((_, i) => heads[i] !== null).map(({ sessionId }) => sessionId))
    const settled = new Set<QueuedAppend>()
    for (const one of known ?? []) {
      const item = keyed[one.number - 1]?.item
      if (item === undefined) continue
      settled.add(item)
      settleStored(item, one)
    }
    for (const [i, { items }] of groups.entries()) {
      const head = heads[i]
      if (typeof head === 'number') resolveGroup(items, head)
      else
        refuse(
          items.filter((item) => !settled.has(item)),
          refused?.[i] as Refusal,
        )
    }
  }

  function handleFailure(item: QueuedAppend, shared: number, error: unknown): void {
    // at most one retry after a timeout, because each takes long
    item.sent += isTimeout(error) ? MAX_RESENDS : 1
    const lost = isLost(error)
    const mayResend = item.request.idempotency !== undefined && item.sent <= MAX_RESENDS
    if (lost && mayResend) pending.push(item)
    // another process stored the key at the same moment: the retry finds it
    else if (codeOf(error) === '23505' && mayResend) pending.push({ ...item, isAlone: true })
    // a bad append fails its whole batch; a StorageError (no connection) would fail each append alone too
    else if (!lost && shared > 1 && !(error instanceof StorageError)) pending.push({ ...item, isAlone: true })
    else item.reject(storageError(error, lost ? 'the connection was lost and the outcome is unknown' : undefined))
  }

  function resolveWritten({ request: { events, at }, resolve }: QueuedAppend, first: number): void {
    resolve({ events: events.map((event, i) => storedEvent(event, first + i, at)), replayed: false })
  }

  function resolveGroup(items: readonly QueuedAppend[], head: number): void {
    let first = head + 1
    for (const item of items) {
      resolveWritten(item, first)
      first += item.request.events.length
    }
  }

  function settleStored({ request, resolve, reject }: QueuedAppend, { same, first, last }: StoredKey): void {
    if (same) {
      replay(request, first, last).then((stored) => resolve({ events: stored, replayed: true }), reject)
    } else {
      reject(new IdempotencyMismatchError({ sessionId: request.sessionId, key: request.idempotency?.key ?? '' }))
    }
  }

  function refuse(items: readonly QueuedAppend[], why: Refusal): void {
    const ended = why.ended ? isoTime(why.ended) : undefined
    const retries: QueuedAppend[] = []
    for (const item of items) {
      if (why.outcome === 'again' || why.outcome === 'wait') {
        retries.push(item)
      } else if (ended !== undefined && items.length > 1 && ended > item.request.at) {
        // the batch has the time of its last append; this one may be from before the end
        retries.push({ ...item, isAlone: true })
      } else if (why.outcome === 'missing') {
        void findElsewhere(item, why)
      } else {
        item.reject(refusalError(item.request, why))
      }
    }
    // ahead of later appends to the same session
    pending.unshift(...retries)
    if (why.outcome === 'wait') for (const { request } of retries) hold(request.sessionId)
  }

  async function findElsewhere(item: QueuedAppend, why: Refusal): Promise<void> {
    try {
      const partition = await locator.next(item.request, item.partition)
      if (partition === undefined) item.reject(refusalError(item.request, why))
      else move({ ...item, partition })
    } catch (error) {
      item.reject(storageError(error))
    }
  }

  function hold(sessionId: string): void {
    if (held.has(sessionId)) return
    held.add(sessionId)
    setTimeout(() => {
      held.delete(sessionId)
      start()
    }, HELD)
  }

  return {
    add(item: QueuedAppend): void {
      pending.push(item)
      start()
    },
    async idle(): Promise<void> {
      while (isRunning || held.size > 0) await (isRunning ? running : delay(HELD))
    },
  }
}

function refusalError(
  { sessionId, expectedSequence = 0, run: generation = 0 }: AppendRequest,
  { outcome, head, ended }: Refusal,
): Error {
  if (outcome === 'ended') return new SessionEndedError({ sessionId, endedAt: isoTime(ended ?? '') })
  if (outcome === 'missing') return new SessionNotFoundError(sessionId)
  if (outcome === 'lost') return new RunLostError({ sessionId, generation })
  return new SequenceConflictError({ sessionId, expected: expectedSequence, actual: head ?? 0 })
}
