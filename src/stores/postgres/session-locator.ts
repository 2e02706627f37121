import { SessionNotFoundError } from '../../domain/errors.ts'
import { partitionInId, partitionOf } from '../../domain/partition.ts'
import type { SessionKey } from '../../ports/session-store.ts'
import type { Connections, Statement } from './connection.ts'

/** $1 the partition that the id points to, $2 id, $3 partition of the owner, $4 partition to take the id over from. */
const CLAIM: Statement = {
  name: 'claim-session-id',
  text: 'select home, is_recent, new_claim::text as claim from context.claim_session_id($1, $2, $3, $4)',
}

const FIND: Statement = {
  name: 'find-session-id',
  text: 'select home, claimed_at::text as claim from context.find_session_id($1, $2)',
}

const FREE: Statement = { name: 'free-session-id', text: 'select context.free_session_id($1, $2, $3)' }

const EXISTS: Statement = { name: 'session-exists', text: 'select context.session_exists($1, $2) as kind' }

/** Most ids in the cache; the oldest goes first. */
const MAX_CACHED = 10_000

interface ClaimRow {
  home: number | null
  is_recent: boolean
  claim: string | null
}

/** Where an id is in use, and whether by a session, an unfinished import, or a call that is creating one. */
export interface TakenId {
  readonly partition: number
  readonly by: 'session' | 'import' | 'call'
}

/** An entry of the directory, to remove unless it was claimed again since. */
export interface DirectoryEntry {
  readonly sessionId: string
  readonly claim: string
}

/** The result of a claim: who has the id, or the entry that is new. */
export interface Claim {
  readonly taken?: TakenId
  readonly entry?: DirectoryEntry
}

/**
 * Finds the partition of a session. A caller limited to a user needs that user's partition. Otherwise the id points to
 * it, if it was made here; the directory knows the others.
 */
export interface SessionLocator {
  /** The partition to try first. */
  first(key: SessionKey): number
  /** The partition to try after the session was not in `tried`. */
  next(key: SessionKey, tried: number): Promise<number | undefined>
  /** Runs a call that returns `undefined`, or throws `SessionNotFoundError`, where the session is not. */
  at<T>(key: SessionKey, call: (partition: number) => Promise<T>): Promise<T>
  /** Claims an id that a caller chose, before its session is created in `home`. */
  claim(sessionId: string, home: number): Promise<Claim>
  /** Whether a session or an import in another partition than `home` has the id. */
  isElsewhere(sessionId: string, home: number): Promise<boolean>
  /** The entry to {@link free} once the session is purged from `home`. */
  entryOf(sessionId: string, home: number): Promise<DirectoryEntry | undefined>
  free(entry: DirectoryEntry | undefined): Promise<void>
}

export function sessionLocator({ query }: Connections): SessionLocator {
  /** Partitions of sessions whose id points to another one. */
  const cached = new Map<string, number>()

  function remember(sessionId: string, home: number): void {
    cached.delete(sessionId)
    cached.set(sessionId, home)
    if (cached.size <= MAX_CACHED) return
    const [oldest = ''] = cached.keys()
    cached.delete(oldest)
  }

  async function lookUp(sessionId: string): Promise<{ home: number; claim: string } | undefined> {
    const values = [partitionInId(sessionId), sessionId]
    const [row] = await query<{ home: number; claim: string }>(FIND, values, { retry: true })
    return row
  }

  function first({ sessionId, within }: SessionKey): number {
    if (within?.userId !== undefined) return partitionOf(within.tenant, within.userId)
    return cached.get(sessionId) ?? partitionInId(sessionId)
  }

  async function next({ sessionId, within }: SessionKey, tried: number): Promise<number | undefined> {
    // the sessions of other users do not exist for this caller
    if (within?.userId !== undefined) return undefined
    const pointed = partitionInId(sessionId)
    const home = (await lookUp(sessionId))?.home ?? pointed
    cached.delete(sessionId)
    if (home !== pointed) remember(sessionId, home)
    return home === tried ? undefined : home
  }

  async function usedBy(sessionId: string, partition: number): Promise<'session' | 'import' | undefined> {
    const values = [partition, sessionId]
    const [row] = await query<{ kind: 'session' | 'import' | null }>(EXISTS, values, { retry: true })
    return row?.kind ?? undefined
  }

  async function claim(sessionId: string, home: number): Promise<Claim> {
    const pointed = partitionInId(sessionId)
    for (let from: number | null = null; ; ) {
      const [row]: ClaimRow[] = await query<ClaimRow>(CLAIM, [pointed, sessionId, home, from], { retry: true })
      // freed at the same moment
      if (typeof row?.home !== 'number') continue
      if (row.home === home) return row.claim === null ? {} : { entry: { sessionId, claim: row.claim } }
      const by = await usedBy(sessionId, row.home)
      if (by !== undefined) return { taken: { partition: row.home, by } }
      if (row.is_recent || from === row.home) return { taken: { partition: row.home, by: 'call' } }
      from = row.home
    }
  }

  return {
    first,
    next,
    claim,

    async at(key, call) {
      const partition = first(key)
      let missing: unknown
      try {
        const found = await call(partition)
        if (found !== undefined) return found
      } catch (error) {
        if (!(error instanceof SessionNotFoundError)) throw error
        missing = error
      }
      const other = await next(key, partition)
      if (other !== undefined) return await call(other)
      if (missing !== undefined) throw missing
      return undefined as Awaited<ReturnType<typeof call>>
    },

    async isElsewhere(sessionId, home) {
      const others = new Set([partitionInId(sessionId), (await lookUp(sessionId))?.home ?? home])
      others.delete(home)
      for (const partition of others) if ((await usedBy(sessionId, partition)) !== undefined) return true
      return false
    },

    async entryOf(sessionId, home) {
      // its purge frees an id that points to its own partition
      if (partitionInId(sessionId) === home) return undefined
      const entry = await lookUp(sessionId)
      return entry?.home === home ? { sessionId, claim: entry.claim } : undefined
    },

    async free(entry) {
      if (entry === undefined) return
      cached.delete(entry.sessionId)
      // an entry that stays can be claimed again, so the purge does not fail with it
      await query(FREE, [partitionInId(entry.sessionId), entry.sessionId, entry.claim], { retry: true }).catch(() => {})
    },
  }
}
