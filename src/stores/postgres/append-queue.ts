import {
  IdempotencyMismatchError,
  SequenceConflictError,
  SessionEndedError,
  SessionNotFoundError,
  StorageError,
} from '../../domain/errors.ts'
import type { AppendRequest, StoredEvent, WriteResult } from '../../ports/session-store.ts'
import { nextTick } from '../next-tick.ts'
import { BATCH_TYPES, batchColumns, type Group, keyedAppends, singleColumns, takeBatch } from './append-batch.ts'
import { type Connections, codeOf, isLost, isTimeout, type Statement, storageError } from './connection.ts'
import { isoTime } from './times.ts'

const APPEND_ONE: Statement = {
  name: 'append-one',
  text: 'select context.append_event($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as sequence',
}

const APPEND: Statement = {
  name: 'append',
  text: `
    select heads, refused, known
    from context.append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
      $21::json[], $22, $23)`,
  arrays: BATCH_TYPES,
}

/** Times that appends with a key are sent again after a connection was lost. */
const RESENDS = 8

/** Why nothing was written to a session. */
interface Refused {
  outcome: 'missing' | 'ended' | 'conflict' | 'again'
  head?: number | null
  ended?: string | null
}

/** An append whose key is known: its number among those with a key, from 1, and what was written with the key. */
interface Known {
  number: number
  same: boolean
  first: number
  last: number
}

/** What a call came to. For each session the head before what it got, or null and why; lists that would be empty are null. */
interface Answer {
  heads: (number | null)[]
  refused: (Refused | null)[] | null
  known: Known[] | null
}

interface Waiting {
  request: AppendRequest
  sent: number
  alone?: boolean
  resolve(written: WriteResult): void
  reject(error: unknown): void
}

/**
 * Micro-batches: one call is under way at a time, and what comes meanwhile shares the next. A lone append goes straight
 * through. Every append has its own outcome, so a bad one fails alone.
 */
export interface AppendQueue {
  append(request: AppendRequest): Promise<WriteResult>
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
    while (waiting.length > 0) {
      await send(takeBatch(waiting))
      await nextTick()
    }
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
    const keyed = keyedAppends(groups)
    const [answer] = await connections.query<Answer>(APPEND, batchColumns(groups, keyed), { again: false })
    const { heads, refused, known } = answer as Answer
    written(groups.filter((_, i) => heads[i] !== null).map(({ sessionId }) => sessionId))
    const told = new Set<Waiting>()
    for (const one of known ?? []) {
      const item = keyed[one.number - 1]?.item
      if (item === undefined) continue
      told.add(item)
      settleKnown(item, one)
    }
    for (const [i, { items }] of groups.entries()) {
      const head = heads[i]
      if (typeof head === 'number') keepAll(items, head)
      else
        refuse(
          items.filter((item) => !told.has(item)),
          refused?.[i] as Refused,
        )
    }
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

  function keepAll(items: readonly Waiting[], head: number): void {
    let first = head + 1
    for (const item of items) {
      keep(item, first)
      first += item.request.events.length
    }
  }

  function settleKnown({ request, resolve, reject }: Waiting, { same, first, last }: Known): void {
    if (same) {
      replay(request, first, last).then((stored) => resolve({ events: stored, replayed: true }), reject)
    } else {
      reject(new IdempotencyMismatchError({ sessionId: request.sessionId, key: request.idempotency?.key ?? '' }))
    }
  }

  function refuse(items: readonly Waiting[], why: Refused): void {
    const ended = why.ended ? isoTime(why.ended) : undefined
    const again: Waiting[] = []
    for (const item of items) {
      if (why.outcome === 'again') {
        again.push(item)
      } else if (ended !== undefined && items.length > 1 && ended > item.request.at) {
        // it may have come before the end, and the last that it shared the call with after
        again.push({ ...item, alone: true })
      } else {
        item.reject(refusal(item.request, why))
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

function refusal({ sessionId, expectedSequence = 0 }: AppendRequest, { outcome, head, ended }: Refused): Error {
  if (outcome === 'ended') return new SessionEndedError({ sessionId, endedAt: isoTime(ended ?? '') })
  if (outcome === 'missing') return new SessionNotFoundError(sessionId)
  return new SequenceConflictError({ sessionId, expected: expectedSequence, actual: head ?? 0 })
}
