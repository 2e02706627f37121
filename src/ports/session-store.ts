import type { SessionScratchpad, SessionView } from '../domain/fold.ts'
import type { Principal, SessionRecord, SessionState } from '../domain/record.ts'

/**
 * Append-only log of session events with the views folded from it: the only source of truth.
 *
 * Writing
 * - S1 An append is atomic: all its events and the moved head are stored, or nothing is.
 * - S2 Sequences of a session are 1, 2, 3 … with no gap, whatever the number of writers and processes.
 * - S3 An append whose `expectedSequence` is not the head throws `SequenceConflictError` and writes nothing.
 * - S4 An append to a session that has ended, or whose `expiresAt` is not after `at`, throws `SessionEndedError`.
 * - S5 A key is stored with the events it wrote. The same key and fingerprint again gives those events (`replayed`),
 *   checked before S3 and S4; another fingerprint throws `IdempotencyMismatchError`.
 * - S6 `decide` hands the decider the current view and stores its events together with the view it returns; no other
 *   decision comes in between, and before an end no event either. A decider that throws leaves nothing behind; one without events writes nothing.
 * - S7 What fails, fails alone: one bad write among many waiting ones does not harm the others.
 * - S8 A write is acknowledged when it would survive what the store promises to survive (see `docs/stores.md`).
 *
 * Sessions
 * - S9 `create` stores the first event and the views together, and is decided in this order: the id exists
 *   (`same-id`), a session may be reused (`found`), the scope has a session that has not ended (`blocked`), `created`.
 *   However many callers race, one of them creates.
 * - S10 `fork` copies events of the source up to a sequence, under their sequences, times and contents but with ids of
 *   their own, and appends its event behind them; `same-id` if the id exists.
 * - S11 `active` gives the newest session of the scope that has neither ended nor expired, of equal ones the one with
 *   the highest id.
 * - S12 `list` gives sessions newest activity first, ties by id descending, from behind the cursor.
 *
 * Reading
 * - S13 A read gives events in sequence order, never part of an append, the same text that was written.
 * - S14 With `turns`, which goes with `order: 'desc'` and without `types`, a read ends with the event that starts its `turns`-th turn,
 *   and does not go back behind the last clear.
 * - S15 `load` gives all views of one moment; `record` and `state` give the one that they name, and read no more. What came in and what
 *   went out is the caller's to change.
 * - S16 Every call with a {@link SessionKey} of a session that does not exist throws `SessionNotFoundError`, except
 *   `load`, `record` and `state`, which give `undefined`.
 * - S17 `watch` calls back soon after each write to the session, by whatever process. It may call without reason, and
 *   once for many writes.
 * - S18 The database itself refuses to change, replace or remove an event.
 * - S19 `repair` replaces the stored views only if the head is still the one stated.
 * - S20 After `close` every call throws `StorageError`.
 * - S21 With `within`, what belongs to another tenant or user does not exist (S16), to any call.
 * - S22 `purge` removes all that is stored of a session, in one step, and counts it. Its id may then be used again.
 *
 * Work
 * - S23 `edges` of a decision are stored with its events, under the sequence of the one they come from. `edges` gives
 *   those at the nodes asked for, or all of them, sorted by (from, label, to, sequence), from behind the cursor. A fork has
 *   those of the events it copied.
 * - S24 A view that comes to have a `commit` makes it the next of its conversation (tenant, conversation), in the same
 *   step. With `chained` the decider is told the last commit of the conversation, and no other can come in between: the
 *   positions of a conversation are 1, 2, 3 … A purge leaves the link behind with `purgedAt`, without its user, and nothing else of the session.
 * - S25 `due` gives live sessions whose last activity is before `idleSince`, or whose `expiresAt` is not after `at`, and
 *   those that ended before `endedBefore` and still await their commit.
 *
 * Envelopes
 * - S26 An `envelope` in a view that moved `envelopeAt` is stored in the same step; a view without one leaves what is stored as it is. `load` gives the
 *   envelope only where what is stored was folded to `envelopeAt`. A repair stores it in any case.
 * - S27 While the intake is paused a `create` that would make a session, and a `fork`, throw `IntakePausedError` and write nothing, except with
 *   `ignorePause`. What exists goes on.
 *
 * Every rule has tests of the same number in `stores/conformance`.
 */
export interface SessionStore {
  /** Short name for messages and health: `memory`, `sqlite` … */
  readonly name: string
  create(request: CreateRequest): Promise<CreateResult>
  append(request: AppendRequest): Promise<WriteResult>
  decide(request: DecideRequest): Promise<WriteResult>
  fork(request: ForkRequest): Promise<CreateResult>
  load(key: SessionKey): Promise<SessionView | undefined>
  record(key: SessionKey): Promise<SessionRecord | undefined>
  state(key: SessionKey): Promise<SessionScratchpad | undefined>
  read(key: SessionKey, query: ReadQuery): Promise<StoredEvent[]>
  active(query: ActiveQuery): Promise<SessionRecord | undefined>
  list(query: ListQuery): Promise<SessionRecord[]>
  /** Ids in ascending order, from behind `after`. */
  sessionIds(query: IdsQuery): Promise<string[]>
  /** How many sessions and events there are in all. */
  totals(within: Principal | undefined): Promise<Totals>
  repair(key: SessionKey, expectedHead: number, view: SessionView, edges: readonly StoredEdge[]): Promise<boolean>
  purge(key: SessionKey, at: string): Promise<PurgeCounts>
  edges(key: SessionKey, query: EdgesQuery): Promise<StoredEdge[]>
  /** Links of a conversation's chain in ascending order of position, from behind `after`. */
  commits(query: CommitsQuery): Promise<CommitLink[]>
  /** Ids of sessions that a sweep has to look at, those that waited longest first. */
  due(query: DueQuery): Promise<string[]>
  /** Since when no new sessions are taken; `undefined` while they are. */
  pausedSince(): Promise<string | undefined>
  /** Pauses the intake of new sessions from this moment on, or resumes it. What is paused already stays so from its first moment. */
  pause(since: string | undefined): Promise<void>
  /** Returns the function that ends the watch. */
  watch(sessionId: string, wake: () => void): () => void
  health(): Promise<StoreHealth>
  close(): Promise<void>
}

/** A session, for a caller who may see all of them, or only those of `within`. */
export interface SessionKey {
  readonly sessionId: string
  readonly within?: Principal
}

/** An event on its way into the log. */
export interface NewEvent {
  readonly id: string
  readonly type: string
  readonly role: string
  readonly content: string
  /** JSON text, kept byte for byte. */
  readonly parts?: string
  readonly agentId?: string
  readonly occurredAt?: string
}

/** An event as the log holds it. */
export interface StoredEvent extends NewEvent {
  readonly sequence: number
  readonly createdAt: string
}

export interface IdempotencyStamp {
  readonly key: string
  /** Equal for equal content. */
  readonly fingerprint: string
}

export interface AppendRequest extends SessionKey {
  readonly events: readonly NewEvent[]
  /** Time of the write. */
  readonly at: string
  readonly idempotency?: IdempotencyStamp
  readonly expectedSequence?: number
}

export interface DecideRequest extends SessionKey {
  readonly at: string
  readonly idempotency?: IdempotencyStamp
  /** The decision may make the next commit of the conversation. */
  readonly chained?: boolean
  /**
   * What the decider looks at, if not at everything: the scratchpad, whether the session lives, and nothing that plain appends move. A store may
   * then begin with views that it remembers, and decides again on those of now unless that led to a write on the same decision version.
   */
  readonly reads?: 'state'
  /** Pure: it may be called more than once. `last` is the conversation's last commit, where `chained` asks for it. */
  decide(view: SessionView, last?: CommitLink): Decision
}

export interface Decision {
  readonly events: readonly NewEvent[]
  /** The views after those events. */
  readonly view: SessionView
  readonly edges?: readonly NewEdge[]
}

/** A relation between two things of the work, on its way into the store. */
export interface NewEdge {
  readonly from: string
  readonly label: string
  readonly to: string
  /** JSON text. */
  readonly evidence: string
  /** Which of the decision's events it comes from, from 0. */
  readonly event: number
}

/** A relation as the store holds it. */
export interface StoredEdge extends Omit<NewEdge, 'event'> {
  /** Sequence of the event it comes from. */
  readonly sequence: number
}

export interface EdgesQuery {
  /** Only edges that leave (`out`) or reach (`in`) one of these nodes, or either. Absent: all edges. */
  readonly nodes?: readonly string[]
  readonly direction?: 'out' | 'in' | 'both'
  readonly labels?: readonly string[]
  readonly after?: Pick<StoredEdge, 'from' | 'label' | 'to' | 'sequence'>
  readonly limit: number
}

/** One commit in the chain of a conversation. */
export interface CommitLink {
  readonly id: string
  readonly sessionId: string
  /** Empty once the session was purged. */
  readonly userId: string
  /** 1, 2, 3 … in the conversation. */
  readonly position: number
  /** When it was made. */
  readonly at: string
  /** Its session was purged then. */
  readonly purgedAt?: string
}

export interface CommitsQuery {
  readonly tenant: string
  readonly conversationId: string
  /** Only those of this user; those that were purged belong to nobody. */
  readonly userId?: string
  readonly after?: number
  readonly limit: number
}

export interface DueQuery {
  readonly idleSince: string
  readonly at: string
  readonly endedBefore: string
  readonly limit: number
  readonly within?: Principal
}

export interface WriteResult {
  readonly events: readonly StoredEvent[]
  /** True when the key was known and nothing was written. */
  readonly replayed: boolean
}

export interface CreateRequest {
  readonly event: NewEvent
  readonly at: string
  /** The views after that event. */
  readonly view: SessionView
  /** Which live session to give instead of creating one: none, that of the conversation, or the newest of any. */
  readonly reuse: 'none' | 'conversation' | 'any'
  /** Create it although the intake is paused. */
  readonly ignorePause?: boolean
}

export interface CreateResult {
  readonly outcome: 'created' | 'found' | 'same-id' | 'blocked'
  /** The session created, found, or in the way. */
  readonly record: SessionRecord
}

export interface ForkRequest {
  readonly source: SessionKey & { readonly sequence: number }
  /** `session_forked`, which gets the sequence behind the copied ones. */
  readonly event: NewEvent
  readonly at: string
  /** The views after that event. */
  readonly view: SessionView
}

export interface ReadQuery {
  /** Exclusive. */
  readonly after?: number
  /** Exclusive. */
  readonly before?: number
  readonly types?: readonly string[]
  readonly turns?: number
  readonly order: 'asc' | 'desc'
  readonly limit: number
}

export interface ActiveQuery {
  readonly tenant: string
  readonly userId: string
  readonly chatmode: string
  readonly conversationId?: string
  readonly at: string
}

export interface ListQuery {
  readonly tenant: string
  readonly userId?: string
  readonly state?: SessionState
  readonly chatmode?: string
  readonly agent?: string
  readonly conversationId?: string
  /** Last activity at or after. */
  readonly since?: string
  /** Last activity before. */
  readonly until?: string
  readonly cursor?: { readonly lastActivityAt: string; readonly id: string }
  readonly limit: number
}

export interface IdsQuery {
  readonly after?: string
  readonly limit: number
  readonly within?: Principal
}

/** What a purge removed. */
export interface PurgeCounts {
  readonly events: number
  readonly keys: number
}

export interface Totals {
  readonly sessions: number
  readonly events: number
}

export interface StoreHealth {
  /** Schema the database has; absent where there is none. */
  readonly schema?: number
  /** What else the store can say of itself. */
  readonly details: Readonly<Record<string, string | number>>
}
