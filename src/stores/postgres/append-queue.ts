import {
  IdempotencyMismatchError,
  SequenceConflictError,
  SessionEndedError,
  SessionNotFoundError,
  StorageError,
} from '../../domain/errors.ts'
import type { AppendRequest, StoredEvent, Written } from '../../ports/session-store.ts'
import { batchColumns, type Group, keyedOf, singleColumns, takeBatch } from './append-batch.ts'
import { type Connections, codeOf, isLost, isTimeout, type Statement, storageError } from './connection.ts'

const APPEND_ONE: Statement = {
  name: 'append-one',
  text: 'select context.append_event($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as sequence',
}

const APPEND: Statement = {
  name: 'append',
  text: `
    select key_number, outcome, first_sequence, last_sequence, ended
    from context.append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20::json[],
      $21, $22)`,
}

/** Times that appends with a key are sent again after a connection was lost. */
const RESENDS = 8

/** What a session or, with a number, an append with a key came to. */
interface Outcome {
  key_number: number | null
  outcome: 'written' | 'missing' | 'ended' | 'conflict' | 'again' | 'replayed' | 'mismatch'
  first_sequence: number
  last_sequence: number
  ended: string | null
}

interface Waiting {
  request: AppendRequest
  sent: number
  alone?: boolean
  resolve(written: Written): void
  reject(error: unknown): void
}

/**
 * Micro-batches: one call is under way at a time, and what comes meanwhile shares the next. A lone append goes straight
 * through. Every append has its own outcome, so a bad one fails alone.
 */
export interface AppendQueue {
  append(request: AppendRequest): Promise<Written>
  idle(): Promise<void>
}

export function appendQueue(
  connections: Connections,
  replay: (request: AppendRequest, first: number, last: number) => Promise<StoredEvent[]>,
  written: (sessionIds: string[]) => void,
): AppendQueue {
  const waiting: Waiting[] = []
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (waiting.length > 0) await send(takeBatch(waiting))
    running = undefined
  }

  async function send(groups: Group<Waiting>[]): Promise<void> {
    const single = singleColumns(groups)
    try {
      if (single === undefined || !(await sendOne(groups, single))) await sendAll(groups)
    } catch (error) {
      const items = groups.flatMap((group) => group.items)
      for (const item of items) failed(item, items.length, error)
    }
  }

  /** Whether it was written. */
  async function sendOne([group]: Group<Waiting>[], values: unknown[]): Promise<boolean> {
    const [row] = await connections.query<{ sequence: number | null }>(APPEND_ONE, values, { again: false })
    if (group === undefined || typeof row?.sequence !== 'number') return false
    written([group.sessionId])
    for (const item of group.items) keep(item, row.sequence)
    return true
  }

  async function sendAll(groups: Group<Waiting>[]): Promise<void> {
    const keyed = keyedOf(groups)
    const rows = await connections.query<Outcome>(APPEND, batchColumns(groups, keyed), { again: false })
    written(groups.filter((_, i) => rows[i]?.outcome === 'written').map(({ sessionId }) => sessionId))
    const known = new Map<Waiting, Outcome>()
    for (const row of rows.slice(groups.length)) {
      const item = keyed[(row.key_number ?? 0) - 1]?.item
      if (item !== undefined) known.set(item, row)
    }
    for (const [item, row] of known) settleKnown(item, row)
    for (const [i, group] of groups.entries()) settle(group, rows[i] as Outcome, known)
  }

  function failed(item: Waiting, shared: number, error: unknown): void {
    // after a timeout once more at most: each takes long
    item.sent += isTimeout(error) ? RESENDS : 1
    const lost = isLost(error)
    const mayResend = item.request.idempotency !== undefined && item.sent <= RESENDS
    if (lost && mayResend) waiting.push(item)
    // another process wrote with the key at this moment: now it is found
    else if (codeOf(error) === '23505' && mayResend) waiting.push({ ...item, alone: true })
    // where no connection could be had, it would fare no better alone
    else if (!lost && shared > 1 && !(error instanceof StorageError)) waiting.push({ ...item, alone: true })
    else item.reject(storageError(error, lost ? 'the connection was lost and the outcome is unknown' : undefined))
  }

  function keep({ request: { events, at }, resolve }: Waiting, first: number): void {
    const stored = events.map((event, i) => ({ ...event, sequence: first + i, createdAt: at }))
    resolve({ events: stored, replayed: false })
  }

  function settleKnown({ request, resolve, reject }: Waiting, row: Outcome): void {
    if (row.outcome === 'mismatch') {
      reject(new IdempotencyMismatchError({ sessionId: request.sessionId, key: request.idempotency?.key ?? '' }))
    } else {
      replay(request, row.first_sequence, row.last_sequence).then(
        (stored) => resolve({ events: stored, replayed: true }),
        reject,
      )
    }
  }

  function settle(group: Group<Waiting>, row: Outcome, known: ReadonlyMap<Waiting, Outcome>): void {
    let first = row.first_sequence
    const again: Waiting[] = []
    for (const item of group.items) {
      if (row.outcome === 'written') {
        keep(item, first)
        first += item.request.events.length
      } else if (known.has(item)) {
        // told already
      } else if (row.outcome === 'again') {
        again.push(item)
      } else if (row.ended !== null && group.items.length > 1 && row.ended > item.request.at) {
        // it may have come before the end, and the last that it shared the call with after
        again.push({ ...item, alone: true })
      } else {
        item.reject(refusal(item.request, row))
      }
    }
    // before what came later for the same session
    waiting.unshift(...again)
  }

  return {
    append(request) {
      return new Promise((resolve, reject) => {
        waiting.push({ request, sent: 0, resolve, reject })
        running ??= run()
      })
    },
    async idle() {
      await running
    },
  }
}

function refusal({ sessionId, expectedSequence = 0 }: AppendRequest, row: Outcome): Error {
  if (row.outcome === 'ended') return new SessionEndedError({ sessionId, endedAt: row.ended ?? '' })
  if (row.outcome === 'missing') return new SessionNotFoundError(sessionId)
  return new SequenceConflictError({ sessionId, expected: expectedSequence, actual: row.last_sequence })
}
