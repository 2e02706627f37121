import { createHash } from 'node:crypto'
import { IdempotencyMismatchError } from '../../domain/errors.ts'
import { encodeTrustedJson } from '../../domain/json.ts'
import { sourceKey } from '../../domain/memory/memory.ts'
import { defined } from '../../domain/optional.ts'
import type { ChangeRequest, ChangeResult, MemoryPut, MemoryWrites } from '../../ports/memory-store.ts'
import type { PurgeCounts } from '../../ports/session-store.ts'
import { type Connections, isLost, isSerialization, isTimeout, type Query, type Statement } from './connection.ts'
import { type MemoryRow, memoryOf } from './memory-rows.ts'
import { PURGE } from './sessions.ts'
import { memoryWordColumns } from './word-columns.ts'

const KNOWN: Statement = { name: 'change-known', text: 'select * from context.load_memory_key($1, $2, $3)' }

const KEEP: Statement = { name: 'change-keep', text: 'select context.write_memory_key($1, $2, $3, $4, $5, $6)' }

const LOAD: Statement = {
  name: 'change-load',
  text: 'select l.stale, (l.memory).* from context.load_memory_change($1, $2, $3, $4, $5, $6, $7, $8, $9) l',
}

const WRITE: Statement = {
  name: 'change-write',
  text: `
    select context.write_memory_change($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
}

/** Attempts of a change that the server rolls back or, with a key, whose connection is lost. */
const ATTEMPTS = 5

/**
 * Decides on memories and writes the result in one transaction, under the user's lock. With a key it may be sent again:
 * an earlier write is found by the key.
 */
export async function changeIn(connections: Connections, request: ChangeRequest): Promise<ChangeResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connections.transaction((query) => change(query, request))
    } catch (error) {
      const isSafe = isSerialization(error) || (request.idempotency !== undefined && isLost(error))
      // at most one retry after a timeout, because each takes long
      if (isTimeout(error)) attempt += ATTEMPTS - 2
      if (!isSafe || attempt >= ATTEMPTS) throw error
    }
  }
}

async function change(query: Query, request: ChangeRequest): Promise<ChangeResult> {
  const { tenant, userId, at, ids = [], fingerprints = [], source, sessions = [], mark, purge, decide } = request
  const known = await responseOf(query, request)
  if (known !== undefined) return { outcome: 'replayed', memories: [], response: known }
  const rows = await query<MemoryRow & { stale: boolean }>(LOAD, [
    tenant,
    userId,
    [...sessions, ...(purge === undefined ? [] : [purge])],
    mark?.sessionId ?? null,
    mark?.from ?? null,
    mark?.to ?? null,
    ids,
    fingerprints.map(shortened),
    source ?? null,
  ])
  if (rows[0]?.stale === true) return { outcome: 'stale', memories: [] }
  const { puts, removals = [], response } = decide(rows.map(memoryOf))
  if (puts.length > 0 || removals.length > 0 || mark !== undefined) {
    const progress = [mark?.sessionId ?? null, mark?.to ?? null]
    await query(WRITE, [tenant, userId, ...columns({ puts, removals }), ...progress])
  }
  const { idempotency: stamp } = request
  if (stamp !== undefined && response !== undefined) {
    await query(KEEP, [tenant, userId, stamp.key, stamp.fingerprint, response, at])
  }
  const memories = puts.map(({ memory }) => memory)
  if (purge === undefined) return { outcome: 'written', memories }
  const [purged = { events: 0, keys: 0 }] = await query<PurgeCounts>(PURGE, [purge, tenant, userId, at])
  return { outcome: 'written', memories, purged }
}

/** The stored response of a key. */
async function responseOf(query: Query, { tenant, userId, idempotency }: ChangeRequest): Promise<string | undefined> {
  if (idempotency === undefined) return undefined
  const { key, fingerprint } = idempotency
  const [known] = await query<{ fingerprint: string; response: string }>(KNOWN, [tenant, userId, key])
  if (known === undefined || known.fingerprint === fingerprint) return known?.response
  throw new IdempotencyMismatchError({ userId, key })
}

/** The parameters of `context.write_memory_change`. */
function columns({ puts, removals = [] }: MemoryWrites): unknown[] {
  const reworded = puts.filter(({ words }) => words !== undefined)
  const sources = puts.flatMap(({ memory: { id, lineage } }) =>
    [...new Set(lineage.map(sourceKey))].filter((key) => key !== undefined).map((key) => ({ id, key })),
  )
  const history = puts.flatMap(({ memory: { id }, changes = [] }) => changes.map((each, n) => ({ ...each, id, n })))
  return [
    encodeTrustedJson(puts.map(row)),
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

function row({ memory, fingerprint, words }: MemoryPut) {
  return {
    ...memory,
    ...defined({ fingerprint: fingerprint && shortened(fingerprint), indexVersion: words?.version }),
    reworded: words !== undefined,
  }
}

/** An index entry holds at most 2,700 bytes; fingerprints are only compared. */
function shortened(fingerprint: string): string {
  return fingerprint.length <= 200 ? fingerprint : createHash('sha256').update(fingerprint).digest('hex')
}
