import type { Database } from 'better-sqlite3'
import { StorageError } from '../../domain/errors.ts'
import { type Memory, sourceKey } from '../../domain/memory/memory.ts'
import type { ChangeRequest, ChangeResult, ExtractionMark, MemoryPut } from '../../ports/memory-store.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { ChildSessions } from './children.ts'
import { Refusal } from './commit-queue.ts'
import type { MemoryKeys } from './memory-keys.ts'
import { SELECT_OWN_MEMORIES } from './memory-read.ts'
import { type ChangeRow, changeRowOf, type MemoryRow, memoryOf, memoryRowOf } from './memory-rows.ts'
import { removeSomeSql, runPiece } from './pieces.ts'
import { CountChanges, type PartitionWriter } from './recall-partition.ts'
import { type BlockPostings, groupPostings } from './recall-postings.ts'
import type { IndexWriter } from './recall-write.ts'
import type { SessionWriter } from './sessions.ts'
import { prepared } from './statement.ts'
import { uuidBytes } from './uuid-bytes.ts'

/** A memory is indexed as one message under its own id. */
const TURN = 1

/** @fingerprints is a JSON array. */
export const SELECT_SAME = `
  select *
  from memories
  where tenant = @tenant and user_id = @userId and fingerprint in (select value from json_each(@fingerprints))
    and superseded_by is null`

export const SELECT_DERIVED = `
  select m.*
  from memory_sources s
  join memories m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.memory_id
  where s.tenant = @tenant and s.user_id = @userId and s.key = @source`

/** A null fingerprint or index version keeps the stored value. */
const PUT_MEMORY = `
  insert into memories (
    id, tenant, user_id, category, content, scope, source_type, confidence, lineage, use_count, created_at,
    last_used_at, expires_at, superseded_by, superseded_at, metadata, fingerprint, index_version
  ) values (
    @id, @tenant, @user_id, @category, @content, @scope, @source_type, @confidence, @lineage, @use_count, @created_at,
    @last_used_at, @expires_at, @superseded_by, @superseded_at, @metadata, @fingerprint, coalesce(@index_version, 0)
  )
  on conflict (tenant, user_id, id) do update
  set category = @category, content = @content, scope = @scope, source_type = @source_type, confidence = @confidence,
      lineage = @lineage, use_count = @use_count, created_at = @created_at, last_used_at = @last_used_at,
      expires_at = @expires_at, superseded_by = @superseded_by, superseded_at = @superseded_at, metadata = @metadata,
      fingerprint = coalesce(@fingerprint, fingerprint), index_version = coalesce(@index_version, index_version)
  returning number`

const INSERT_CHANGE = `
  insert into memory_history (memory, version, at, change, confidence, source, note, by_memory)
  select @memory, coalesce(max(version), 0) + 1, @at, @change, @confidence, @source, @note, @by_memory
  from memory_history
  where memory = @memory`

const INSERT_SOURCE = `
  insert into memory_sources (tenant, user_id, key, memory_id)
  values (?, ?, ?, ?)
  on conflict do nothing`

const DELETE_SOURCE = 'delete from memory_sources where tenant = ? and user_id = ? and key = ? and memory_id = ?'

/** No row: the session does not exist or belongs to another user. */
const SELECT_EXTRACTED = `
  select coalesce(m.extracted, 0) as extracted, s.head
  from sessions s
  left join session_marks m on m.session_id = s.id
  where s.id = ? and s.tenant = ? and s.user_id = ?`

const MOVE_EXTRACTED = `
  insert into session_marks (session_id, extracted)
  values (?, ?)
  on conflict do update set extracted = excluded.extracted`

export const COUNT_USES = `
  update memories
  set use_count = use_count + 1, last_used_at = @at
  where tenant = @tenant and user_id = @userId and id in (select value from json_each(@ids))`

const SELECT_ANY = `
  select id, number
  from memories
  where tenant = @tenant and user_id = @userId
  limit 1`

const REMOVE_HISTORY = removeSomeSql('memory_history', 'version', 'memory = @number')
const REMOVE_SOURCES = removeSomeSql('memory_sources', 'key, memory_id', 'tenant = @tenant and user_id = @userId')

/** What a piece of a purge removed, and whether that was the rest. */
export interface MemoryRemoval {
  readonly memories: number
  readonly keys: number
  readonly isDone: boolean
}

/** Everything a change writes, ready to writeRows. */
interface PreparedChange {
  readonly puts: readonly PreparedPut[]
  readonly removals: readonly string[]
  readonly response: string | undefined
}

/** A memory as it was before the change. */
interface Previous {
  readonly number: number
  readonly sources: ReadonlySet<string>
}

interface PreparedPut {
  readonly row: MemoryRow & { fingerprint: string | null; index_version: number | null }
  /** Keys of the sources in its lineage. */
  readonly sources: ReadonlySet<string>
  /** `undefined`: keeps the stored ones. */
  readonly postings: readonly BlockPostings[] | undefined
  readonly changes: readonly Omit<ChangeRow, 'version'>[]
}

const NONE: ReadonlySet<string> = new Set()

/** Writes to memories, each inside an open transaction. */
export function memoryWriter(
  db: Database,
  keys: MemoryKeys,
  partitions: PartitionWriter,
  index: IndexWriter,
  { sessions, children }: { sessions: Pick<SessionWriter, 'hideAll'>; children: ChildSessions },
  pieceMs: number,
) {
  const selectMemories = prepared<[object], MemoryRow & { number: number }>(db, SELECT_OWN_MEMORIES)
  const selectSame = prepared<[object], MemoryRow>(db, SELECT_SAME)
  const putMemory = prepared<[object], number>(db, PUT_MEMORY).pluck()
  const insertChange = prepared(db, INSERT_CHANGE)
  const insertSource = prepared(db, INSERT_SOURCE)
  const deleteSource = prepared(db, DELETE_SOURCE)
  const selectExtracted = prepared<[string, string, string], { extracted: number; head: number }>(db, SELECT_EXTRACTED)
  const selectDerived = prepared<[object], MemoryRow>(db, SELECT_DERIVED)
  const moveExtracted = prepared(db, MOVE_EXTRACTED)
  const countUses = prepared(db, COUNT_USES)
  const deleteMemory = prepared(db, 'delete from memories where number = ?')
  const deleteHistory = prepared(db, 'delete from memory_history where memory = ?')
  const selectAny = prepared<[object], { id: string; number: number }>(db, SELECT_ANY)
  const removeHistory = prepared<[object]>(db, REMOVE_HISTORY)
  const removeSources = prepared<[object]>(db, REMOVE_SOURCES)

  function isAtMark({ sessionId, from, to }: ExtractionMark, { tenant, userId }: UserKey): boolean {
    const session = selectExtracted.get(sessionId, tenant, userId)
    return session?.extracted === from && session.head >= to
  }

  /** Whether the sessions exist, belong to the user, and are extracted up to the mark of the change. */
  function isReady({ tenant, userId, sessions: named = [], mark, purge = [] }: ChangeRequest): boolean {
    const wanted = [...named, ...purge]
    return (
      (purge.length === 0 || !children.hasOtherChild(purge, { tenant, userId })) &&
      wanted.every((id) => selectExtracted.get(id, tenant, userId) !== undefined) &&
      (mark === undefined || isAtMark(mark, { tenant, userId }))
    )
  }

  /** Memories that the request names, each once. */
  function loadNamed({ tenant, userId, ids = [], fingerprints = [], sources = [] }: ChangeRequest): Memory[] {
    const user = { tenant, userId }
    const rows = [
      ...(ids.length > 0 ? selectMemories.all({ ...user, ids: JSON.stringify(ids) }) : []),
      ...(fingerprints.length > 0 ? selectSame.all({ ...user, fingerprints: JSON.stringify(fingerprints) }) : []),
      ...sources.flatMap((source) => selectDerived.all({ ...user, source })),
    ]
    return [...new Map(rows.map((row) => [row.id, row])).values()].map(memoryOf)
  }

  /** Stored versions of the memories that the change writes. */
  function loadPrevious({ puts, removals }: PreparedChange, user: UserKey): Map<string, Previous> {
    const ids = JSON.stringify([...puts.map(({ row }) => row.id), ...removals])
    const rows = selectMemories.all({ ...user, ids })
    return new Map(rows.map((row) => [row.id, { number: row.number, sources: sourcesOf(memoryOf(row)) }]))
  }

  function replaceSources(
    id: string,
    { tenant, userId }: UserKey,
    before: ReadonlySet<string> = NONE,
    after = NONE,
  ): void {
    for (const key of before) if (!after.has(key)) deleteSource.run(tenant, userId, key, id)
    for (const key of after) if (!before.has(key)) insertSource.run(tenant, userId, key, id)
  }

  function writeRows({ puts, removals }: PreparedChange, user: UserKey, before: Map<string, Previous>): void {
    const key = { tenant: user.tenant, userId: user.userId, corpus: 'memories' } as const
    const partition = puts.some(({ postings: words = [] }) => words.length > 0)
      ? partitions.findOrCreate(key)
      : partitions.find(key)
    const counts = new CountChanges()
    const removeWords = (id: string) => {
      // a memory of another SQL client may have any id; then it has no words
      const bytes = uuidBytes(id)
      if (partition === undefined || bytes === undefined) return
      for (let isChanged = true; isChanged; ) isChanged = partitions.removeSome(partition, bytes, counts)
    }
    for (const { row, sources, postings: words, changes } of puts) {
      const number = putMemory.get(row) as number
      for (const change of changes) insertChange.run({ memory: number, ...change })
      replaceSources(row.id, user, before.get(row.id)?.sources, sources)
      if (words !== undefined && before.has(row.id)) removeWords(row.id)
      if (words !== undefined && partition !== undefined)
        partitions.insert(partition, requireUuidBytes(row.id), words, counts)
      before.set(row.id, { number, sources })
    }
    for (const id of removals) {
      const gone = before.get(id)
      if (gone === undefined) continue
      removeWords(id)
      replaceSources(id, user, gone.sources)
      deleteHistory.run(gone.number)
      deleteMemory.run(gone.number)
      before.delete(id)
    }
    if (partition !== undefined) partitions.saveCounts(partition, counts)
  }

  /** Returns false if nothing is left. */
  function removeSome(user: UserKey, counts: { memories: number; keys: number }): boolean {
    if (partitions.removeSomeHidden()) return true
    const found = selectAny.get(user)
    if (found !== undefined) {
      if (removeHistory.run({ number: found.number }).changes > 0) return true
      const removal = { puts: [], removals: [found.id], response: undefined }
      writeRows(removal, user, loadPrevious(removal, user))
      counts.memories += 1
      return true
    }
    const gone = keys.removeSome(user)
    counts.keys += gone
    return gone > 0 || removeSources.run(user).changes > 0
  }

  return {
    /** Only hides the sessions to purge. */
    change(request: ChangeRequest): ChangeResult {
      const { tenant, userId, mark, purge = [], at } = request
      const user = { tenant, userId }
      const response = keys.findReplay(request)
      if (response !== undefined) return { outcome: 'replayed', memories: [], response }
      if (!isReady(request)) return { outcome: 'stale', memories: [] }
      const prepared = runDecider(request, loadNamed(request))
      writeRows(prepared, user, loadPrevious(prepared, user))
      keys.save(request, prepared.response)
      if (mark) moveExtracted.run(mark.sessionId, mark.to)
      sessions.hideAll(
        purge.map((sessionId) => ({ sessionId })),
        at,
      )
      return { outcome: 'written', memories: prepared.puts.map(({ row }) => memoryOf(row)) }
    },

    markUsed({ tenant, userId }: UserKey, ids: readonly string[], at: string): void {
      countUses.run({ tenant, userId, ids: JSON.stringify(ids), at })
    },

    hideIndex: (user: UserKey) => index.hide(user),

    /** Removes the next piece of everything of a user, and of hidden partitions. */
    removePiece({ tenant, userId }: UserKey): MemoryRemoval {
      const counts = { memories: 0, keys: 0 }
      const isDone = runPiece(() => removeSome({ tenant, userId }, counts), pieceMs)
      return { ...counts, isDone }
    },
  }
}

export type MemoryWriter = ReturnType<typeof memoryWriter>

/** A decider and its result may throw anything; nothing is written at that point. */
function runDecider({ tenant, userId, decide }: ChangeRequest, memories: readonly Memory[]): PreparedChange {
  try {
    const { puts, removals = [], response } = decide(memories)
    return { puts: puts.map((put) => preparePut(put, { tenant, userId })), removals, response }
  } catch (cause) {
    throw new Refusal('refused by the decider', { cause })
  }
}

function preparePut({ memory, fingerprint, words, changes = [] }: MemoryPut, user: UserKey): PreparedPut {
  requireUuidBytes(memory.id)
  return {
    row: {
      ...memoryRowOf(memory, user),
      fingerprint: fingerprint ?? null,
      index_version: words === undefined ? null : (words?.version ?? 0),
    },
    sources: sourcesOf(memory),
    postings:
      words === undefined ? undefined : words === null ? [] : groupPostings([{ turn: TURN, words: words.description }]),
    changes: changes.map(changeRowOf),
  }
}

function sourcesOf({ lineage }: Memory): Set<string> {
  return new Set(lineage.map(sourceKey).filter((key) => key !== undefined))
}

function requireUuidBytes(id: string): Buffer {
  const bytes = uuidBytes(id)
  if (bytes === undefined)
    throw new StorageError('sqlite', `the id of a memory must be a UUID in lower case, not '${id}'`)
  return bytes
}
