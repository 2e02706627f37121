import {
  IdempotencyMismatchError,
  SequenceConflictError,
  SessionEndedError,
  SessionNotFoundError,
  StorageError,
} from '../../domain/errors.ts'
import { turnsIn } from '../../domain/event.ts'
import type { AppendRequest, StoredEvent, Written } from '../../ports/session-store.ts'
import { type Connections, isLost, isTimeout, type Statement, storageError } from './connection.ts'
import { eventColumns, ownerOf } from './rows.ts'

const APPEND: Statement = {
  name: 'append',
  text: `
    select outcome, first_sequence, last_sequence, ended
    from context.append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16::json[], $17, $18)`,
}

/** Appends in one call at most. */
const BATCH = 256

/** Times that appends with a key are sent again after a connection was lost. */
const RESENDS = 8

interface Outcome {
  outcome: 'written' | 'replayed' | 'mismatch' | 'ended' | 'conflict' | 'missing'
  first_sequence: number
  last_sequence: number
  ended: Date | null
}

interface Waiting {
  request: AppendRequest
  sent: number
  /** Sent in a call of its own, after a call that it shared was refused as a whole. */
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
    while (waiting.length > 0) await send(nextBatch(waiting))
    running = undefined
  }

  async function send(batch: Waiting[]): Promise<void> {
    // in one order everywhere, so that two processes never wait for each other's sessions
    batch.sort(({ request: a }, { request: b }) => (a.sessionId < b.sessionId ? -1 : a.sessionId > b.sessionId ? 1 : 0))
    try {
      const rows = await connections.query<Outcome>(APPEND, columns(batch), { again: false })
      written(batch.filter((_, i) => rows[i]?.outcome === 'written').map(({ request }) => request.sessionId))
      for (const [i, item] of batch.entries()) settle(item, rows[i] as Outcome)
    } catch (error) {
      for (const item of batch) failed(item, batch.length, error)
    }
  }

  function failed(item: Waiting, shared: number, error: unknown): void {
    // after a timeout once more at most: each takes long
    item.sent += isTimeout(error) ? RESENDS : 1
    const lost = isLost(error)
    if (lost && item.request.idempotency !== undefined && item.sent <= RESENDS) waiting.push(item)
    // where no connection could be had, it would fare no better alone
    else if (!lost && shared > 1 && !(error instanceof StorageError)) waiting.push({ ...item, alone: true })
    else item.reject(storageError(error, lost ? 'the connection was lost and the outcome is unknown' : undefined))
  }

  function settle({ request, resolve, reject }: Waiting, row: Outcome): void {
    if (row.outcome === 'written') {
      const { events, at } = request
      const stored = events.map((event, i) => ({ ...event, sequence: row.first_sequence + i, createdAt: at }))
      resolve({ events: stored, replayed: false })
    } else if (row.outcome === 'replayed') {
      replay(request, row.first_sequence, row.last_sequence).then(
        (stored) => resolve({ events: stored, replayed: true }),
        reject,
      )
    } else {
      reject(refusal(request, row))
    }
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

/** What waits, up to the size of a batch; one that must go alone goes alone. */
function nextBatch(waiting: Waiting[]): Waiting[] {
  const alone = waiting.findIndex((item) => item.alone === true)
  if (alone >= 0) return waiting.splice(alone, 1)
  return waiting.splice(0, BATCH)
}

function columns(batch: readonly Waiting[]): unknown[] {
  const requests = batch.map(({ request }) => request)
  const owners = requests.map(ownerOf)
  return [
    requests.map(({ sessionId }) => sessionId),
    owners.map(([tenant]) => tenant),
    owners.map(([, userId]) => userId),
    requests.map(({ events }) => events.length),
    requests.map(({ events }) => turnsIn(events)),
    requests.map(({ at }) => at),
    requests.map(({ idempotency }) => idempotency?.key ?? null),
    requests.map(({ idempotency }) => idempotency?.fingerprint ?? null),
    // no log gets so far: beyond it any number conflicts alike
    requests.map(({ expectedSequence }) =>
      expectedSequence === undefined ? null : Math.min(expectedSequence, 2 ** 31 - 1),
    ),
    requests.flatMap(({ events }, i) => events.map(() => i + 1)),
    requests.flatMap(({ events }) => events.map((_, i) => i + 1)),
    ...eventColumns(requests.flatMap(({ events }) => events)),
  ]
}

function refusal({ sessionId, idempotency, expectedSequence = 0 }: AppendRequest, row: Outcome): Error {
  if (row.outcome === 'mismatch') return new IdempotencyMismatchError({ sessionId, key: idempotency?.key ?? '' })
  if (row.outcome === 'ended') return new SessionEndedError({ sessionId, endedAt: row.ended?.toISOString() ?? '' })
  if (row.outcome === 'missing') return new SessionNotFoundError(sessionId)
  return new SequenceConflictError({ sessionId, expected: expectedSequence, actual: row.last_sequence })
}
