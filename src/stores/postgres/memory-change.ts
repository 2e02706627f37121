import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { IdempotencyMismatchError, StorageError } from '../../domain/errors.ts'
import { encodeTrustedJson } from '../../domain/json.ts'
import { type Memory, sourceKey } from '../../domain/memory/memory.ts'
import { defined } from '../../domain/optional.ts'
import { partitionOf } from '../../domain/partition.ts'
import type { ChangeRequest, ChangeResult, MemoryPut, MemoryWrites } from '../../ports/memory-store.ts'
import type { Connections, Query, Statement } from './connection.ts'
import { type MemoryRow, memoryOf } from './memory-rows.ts'
import type { SessionLocator } from './session-locator.ts'
import { memoryWordColumns } from './word-columns.ts'

const LOAD: Statement = {
  name: 'change-load',
  text: `
    select l.state, l.version as change_version, l.key_fingerprint, l.response, (l.memory).*
    from context.load_memory_change($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) l`,
}

const UNLOCK: Statement = { name: 'change-unlock', text: 'select context.unlock_memories($1, $2, $3, $4)' }

const WRITE: Statement = {
  name: 'change-write',
  text: `
    select outcome, events, keys
    from context.write_memory_change($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
      $20, $21, $22, $23, $24, $25, $26)`,
}

/** Milliseconds until a change that meets conflicts gives up. */
const PATIENCE = 30_000

/** The first row of {@link LOAD}; the others are memories. */
interface StateRow {
  state: 'loaded' | 'known' | 'stale' | 'locked'
  change_version: string | null
  key_fingerprint: string | null
  response: string | null
}

/**
 * Decides on memories and writes the result, if no other change of the user came in between. After a conflict it locks
 * the user's memories for a moment, so that no other process can write first. With a key it may be sent again: an
 * earlier write is found by the key.
 */
export async function changeIn(
  connections: Connections,
  locator: SessionLocator,
  request: ChangeRequest,
): Promise<ChangeResult> {
  const query: Query = (statement, values) =>
    connections.query(statement, values, { retry: statement === LOAD || request.idempotency !== undefined })
  const partition = partitionOf(request.tenant, request.userId)
  const { purge = [] } = request
  const entries = await Promise.all(purge.map((id) => locator.entryOf(id, partition)))
  let result = await change(query, request, partition, null)
  if (result === 'conflict' || result === 'locked') result = await changeLocked(query, request, partition)
  if (result.purged !== undefined) for (const entry of entries) await locator.free(entry)
  return result
}

/** Changes memories under the user's lock until there is no conflict. */
async function changeLocked(query: Query, request: ChangeRequest, partition: number): Promise<ChangeResult> {
  const { tenant, userId } = request
  const token = randomUUID()
  const deadline = performance.now() + PATIENCE
  try {
    while (performance.now() < deadline) {
      const result = await change(query, request, partition, token)
      if (result === 'locked') await delay(1 + Math.random() * 4)
      else if (result !== 'conflict') return result
    }
  } finally {
    // a write gave it back already
    await query(UNLOCK, [partition, tenant, userId, token]).catch(() => {})
  }
  throw new StorageError('postgres', `other changes of the memories of '${userId}' came first for 30 s; try again`)
}

async function change(
  query: Query,
  request: ChangeRequest,
  partition: number,
  token: string | null,
): Promise<ChangeResult | 'conflict' | 'locked'> {
  const {
    tenant,
    userId,
    at,
    ids = [],
    fingerprints = [],
    sources = [],
    mark,
    purge = [],
    idempotency: stamp,
  } = request
  const sessions = [...(request.sessions ?? []), ...purge]
  const condition = [sessions, mark?.sessionId ?? null, mark?.from ?? null, mark?.to ?? null]
  const wanted = [ids, fingerprints.map(shortened), sources]
  const given = [partition, tenant, userId, token, stamp?.key ?? null, ...condition, ...wanted]
  const [first, ...rows] = await query<StateRow & MemoryRow>(LOAD, given)
  const { state, change_version: version, key_fingerprint: fingerprint, response: known } = first as StateRow
  if (state === 'locked') return 'locked'
  if (state === 'stale') return { outcome: 'stale', memories: [] }
  if (state === 'known') {
    if (fingerprint !== stamp?.fingerprint) throw new IdempotencyMismatchError({ userId, key: stamp?.key ?? '' })
    return { outcome: 'replayed', memories: [], response: known ?? '' }
  }
  const found = rows.map(memoryOf)
  const { puts, removals = [], response } = request.decide(found)
  const memories = puts.map(({ memory }) => memory)
  const keeps = stamp !== undefined && response !== undefined
  const isEmpty = puts.length === 0 && removals.length === 0 && mark === undefined && purge.length === 0 && !keeps
  if (isEmpty) return { outcome: 'written', memories }
  const key = [stamp?.key ?? null, stamp?.fingerprint ?? null, keeps ? response : null]
  const what = [...key, ...condition, purge, ...columns({ puts, removals }, found)]
  const [row] = await query<WrittenRow>(WRITE, [partition, tenant, userId, version, token, at, ...what])
  const { outcome, events, keys } = row as WrittenRow
  if (outcome === 'conflict') return 'conflict'
  if (outcome === 'stale') return { outcome: 'stale', memories: [] }
  return { outcome: 'written', memories, ...(purge.length > 0 && { purged: { events, keys } }) }
}

interface WrittenRow {
  outcome: 'written' | 'conflict' | 'stale'
  events: number
  keys: number
}

/** The parameters of `context.write_memory_change`. */
function columns({ puts, removals = [] }: MemoryWrites, found: readonly Memory[]): unknown[] {
  const loaded = new Map(found.map(({ id, useCount }) => [id, useCount]))
  const reworded = puts.filter(({ words }) => words !== undefined)
  const sources = puts.flatMap(({ memory: { id, lineage } }) =>
    [...new Set(lineage.map(sourceKey))].filter((key) => key !== undefined).map((key) => ({ id, key })),
  )
  const history = puts.flatMap(({ memory: { id }, changes = [] }) => changes.map((each, n) => ({ ...each, id, n })))
  return [
    encodeTrustedJson(puts.map((put) => row(put, loaded.get(put.memory.id)))),
    removals,
    [...removals, ...reworded.map(({ memory }) => memory.id)],
    encodeTrustedJson(history),
    sources.map(({ id }) => id),
    sources.map(({ key }) => key),
    ...memoryWordColumns(
      reworded.flatMap(({ memory: { id }, words }) => (words ? [{ id, words: words.description }] : [])),
    ),
  ]
}

function row({ memory, fingerprint, words }: MemoryPut, loadedUseCount: number | undefined) {
  return {
    ...memory,
    ...defined({
      loadedUseCount,
      fingerprint: fingerprint && shortened(fingerprint),
      indexVersion: words?.version,
    }),
    reworded: words !== undefined,
  }
}

/** An index entry holds at most 2,700 bytes; fingerprints are only compared. */
function shortened(fingerprint: string): string {
  return fingerprint.length <= 200 ? fingerprint : createHash('sha256').update(fingerprint).digest('hex')
}
