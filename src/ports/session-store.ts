import type { SessionScratchpad, SessionView } from '../domain/fold.ts'
import type { Principal, SessionRecord, SessionState } from '../domain/record.ts'
import type { HiddenRanges } from '../domain/rewind.ts'
import type { DailyUsage, UsageIncrement } from '../domain/usage.ts'
import type { StoreClock } from './clock.ts'
import type { AskingQuery, AskingSession, ClaimableSession, ClaimQuery, RenewRequest } from './runs.ts'
import type { StorageGroup, StorageQuery, UsageGroup, UsageQuery, UsageRowsQuery } from './usage-query.ts'

export type {
  StorageGroup,
  StorageKey,
  StorageQuery,
  UsageGroup,
  UsageKey,
  UsageQuery,
  UsageRowsQuery,
} from './usage-query.ts'

/**
 * Append-only log of session events with the views folded from it. The only source of truth.
 *
 * Writing
 * - S1 An append is atomic: all its events and the new head are stored, or nothing is.
 * - S2 Sequences of a session are 1, 2, 3 … with no gap, whatever the number of writers and processes.
 * - S3 An append whose `expectedSequence` is not the head throws `SequenceConflictError` and writes nothing.
 * - S4 An append to an ended session, or to one whose `expiresAt` is not after `at`, throws `SessionEndedError`.
 * - S5 A key is stored with the events it wrote. A repeat with the same fingerprint returns those events (`replayed`),
 *   checked before S3 and S4; another fingerprint throws `IdempotencyMismatchError`.
 * - S6 `decide` passes the current view to the decider and stores its events together with the view it returns. No
 *   other decision comes in between, and before an end or a `rewound` event no event either. A decider that throws, or
 *   returns no events, writes nothing.
 * - S7 A failing write fails alone: it does not affect others waiting in the same batch.
 * - S8 A write is acknowledged once it would survive the failures the store promises to survive (`docs/stores.md`).
 *
 * Sessions
 * - S9 `create` stores the first event and the views together. It checks in this order: the id exists (`same-id`), the
 *   parent (S31), a session may be reused (`found`), the scope has a session that has not ended (`blocked`), else
 *   `created`. Of concurrent callers exactly one creates.
 * - S10 `fork` copies the source's events up to a sequence, with their sequences, times and contents but new ids, and
 *   appends its own event; `same-id` if the id exists.
 * - S11 `active` returns the newest session of the scope that has neither ended nor expired; ties go to the highest id.
 *   Without a conversation it never returns a child session; nor does a `create` that may reuse any session.
 * - S12 `list` returns sessions by newest activity, ties by descending id, after the cursor. With `ids` it returns only
 *   those, with `parent` only children of that session that belong to `userId`, which the query must then name.
 *
 * Reading
 * - S13 A read returns events in sequence order, never part of an append, with the exact text that was written.
 * - S14 With `turns` (only with `order: 'desc'` and without `types`) a read ends with the event that starts the
 *   `turns`-th turn and never passes the last clear.
 * - S28 A page of events also ends with the event that takes its content and parts to `LIMITS.pageSize` characters, a
 *   page of `list` or `edges` with the item that takes it there as JSON. The store loads little more than it returns.
 * - S15 `load` returns all views of one moment; `record` and `state` return and read only the one they name. Callers
 *   may change their arguments and results freely.
 * - S16 Calls with the {@link SessionKey} of a missing session throw `SessionNotFoundError`, except `load`, `record`
 *   and `state`, which return `undefined`.
 * - S17 `watch` calls back soon after a write to the session by any process. It may call without a write, and once for
 *   many.
 * - S18 The database itself refuses to change, replace or remove an event.
 * - S19 `repair` replaces the stored views only if the head is still `expectedHead`. A view without `leaseUntil` keeps
 *   the stored one if the same run is live.
 * - S20 After `close` every call throws `StorageError`.
 * - S21 With `within`, sessions of other tenants and users do not exist (S16), for every call.
 * - S22 `purge` hides a session in one step, then removes and counts everything stored of it. Other calls see all of it
 *   or nothing, also after a crash in between. The id may be used again: a call that writes to it waits for the end of
 *   the purge, or ends it. A purge of several sessions (M2) hides them all in that one step. A fork hides its copy in
 *   the same way until it is complete. `erase` removes what earlier
 *   purges left in a log that the store writes beside its tables; false while a long-running reader needs it.
 *
 * Work
 * - S23 A decision's `edges` are stored with its events, under the sequence of their event. `edges` returns those at
 *   the given nodes, or all, sorted by (from, label, to, sequence), after the cursor. A fork has the edges of the
 *   events it copied.
 * - S24 A view that gains a `commit` appends it to its chain (tenant, user, conversation) in the same step. With
 *   `chained` the decider gets the chain's last commit, and no other can come in between: positions are 1, 2, 3 … A
 *   purge leaves only the link, with `purgedAt` and without its user.
 * - S25 `due` returns live sessions last active before `idleSince` or whose `expiresAt` is not after `at`, and sessions
 *   that ended before `endedBefore` and still await their commit.
 *
 * Envelopes
 * - S26 An `envelope` in a view with a new `envelopeAt` is stored in the same step; a view without one leaves the
 *   stored envelope unchanged. `load` returns the stored envelope only if it was folded up to `envelopeAt`. A repair
 *   always stores it.
 * - S27 While the intake is paused, a `fork` and a `create` that would make a session throw `IntakePausedError` and
 *   write nothing, except with `ignorePause`. Existing sessions continue.
 *
 * Integrity
 * - S29 The checksum of an event is stored as given, never made or checked by a store, and a fork copies it.
 *   `checksums` returns those of a range in sequence order. Reads leave it out: only `verify` and exports use it.
 *
 * Secret
 * - S30 `secret` keeps the first candidate that any process gives it, and always returns that one.
 *
 * Children and metadata
 * - S31 A session with a `parent` is created only if a session with that id and the same owner exists
 *   (`SessionNotFoundError` otherwise) and is live at `at` (`SessionEndedError` otherwise). No end and no purge of the
 *   parent comes in between. An import may name a parent that does not exist.
 * - S32 `descendants` returns the ids of all children of a session, their children and so on, each once and never the
 *   id itself; those that belong to its owner.
 * - S33 `labelled` returns ids of sessions whose metadata has the label (see `labelsOf`), at most `limit`. It keeps up
 *   with every change of metadata, in the same step.
 *
 * Usage
 * - S34 The `usage` of an append or a decision is added, in the same step, to `record.usage` and to the session's sums
 *   by model and day of `at`. A user message ends the turn of `record.usage`. A fork starts without usage; a repair
 *   replaces both.
 * - S35 `usage` returns sums over all visible sessions by one key, in ascending order of the key (by code points) after
 *   `after`: of the days from `since` on and before `until`. `usageRows` returns the sums of one session, sorted by day
 *   and model. A session that is being imported, purged or forked does not count.
 *
 * Work of tool calls
 * - S36 `deriveWork` stores edges that were derived from events after `from` up to `to`, and the new mark, in one step,
 *   if the mark of these `tools` is still `from`. Otherwise, or if the log does not reach `to`, it returns false and
 *   writes nothing. It moves nothing that `load` returns.
 * - S37 `workMark` returns the mark that the last `deriveWork` of these `tools` left, and the head of the log; 0 and an
 *   empty state before the first. Marks and edges of other `tools` are independent.
 * - S38 `edges` returns derived edges only with the `tools` they were derived with. A fork copies neither them nor
 *   marks; a repair and a purge remove all of them.
 *
 * Storage
 * - S39 The bytes of a log are those of the content and parts of its events, in UTF-8. They change in the same step as
 *   the log: with appends, decisions, forks and imports. `logSize` returns them with the head they belong to; a repair
 *   sets them if it names them.
 * - S40 `storage` sums sessions, events and the bytes of their logs, and memories with the bytes of their content and
 *   metadata, by tenant or user, in ascending order of the key (by code points) after `after`. A session that is being
 *   imported, purged or forked does not count. One that is written to meanwhile may count twice. The store never works
 *   on it for long at a time, whatever the number of sessions.
 *
 * Runs
 * - S41 An append with `run` throws `RunLostError` and writes nothing unless the record's live run has that generation,
 *   whether its lease has expired or not. Checked in the step that writes, after S5 and S4.
 * - S42 `leaseUntil` of a view that a decision returns is stored in the same step, and a view without one removes it.
 *   Of two unrelated writes the later lease stays: a decision that leaves `leaseUntil` as it was never takes back a
 *   renewal. `renew` stores `until` if the live run has that generation and its lease has not expired at `at`, and
 *   returns whether it has; it never shortens a lease and writes no event.
 * - S43 `claimable` returns sessions that need work at `at` (`dueAt` of their view is not after it, and they have not
 *   expired), of any tenant or those of `within`: for each of up to `tenants` tenants in ascending order after `after`,
 *   and then from the first again, up to `limit` sessions, the longest waiting first, ties by ascending id. It reads
 *   no more sessions than that of each chatmode and agent, however many there are, except those that `agents` or their
 *   expiry leaves out, and the live sessions of a user in `within`. An append with a user message to a session that
 *   takes work and has no live run makes it need work from `at` on, if it does not already.
 *
 * Requests
 * - S44 `asking` returns sessions of a tenant, or of one user, that have an open request (`status: 'open'`) or ever had
 *   one (`'any'`), newest `requestsAt` first, ties by descending id, after the cursor.
 *
 * Rewinds
 * - S45 `hidden` of a view is stored as given. A read with `line` leaves out the given ranges, or with `true` the
 *   hidden ranges of the session at that time, as every read with `turns` does. Types, limit, order and page size apply
 *   to the other events. It reads from one visible span to the next, so hidden events cost nothing, however many.
 *
 * Every rule has tests of the same number in `stores/conformance`.
 */
export interface SessionStore {
  /** Short name for messages and health: `memory`, `sqlite` … */
  readonly name: string
  /** The time of the database: the same for every process that uses it, whatever the clocks of their hosts. */
  readonly clock: StoreClock
  create(request: CreateRequest): Promise<CreateResult>
  append(request: AppendRequest): Promise<WriteResult>
  decide(request: DecideRequest): Promise<WriteResult>
  fork(request: ForkRequest): Promise<CreateResult>
  load(key: SessionKey): Promise<SessionView | undefined>
  record(key: SessionKey): Promise<SessionRecord | undefined>
  state(key: SessionKey): Promise<SessionScratchpad | undefined>
  read(key: SessionKey, query: ReadQuery): Promise<StoredEvent[]>
  checksums(key: SessionKey, range: SequenceRange): Promise<string[]>
  active(query: ActiveQuery): Promise<SessionRecord | undefined>
  list(query: ListQuery): Promise<SessionRecord[]>
  descendants(key: SessionKey): Promise<string[]>
  labelled(query: LabelQuery): Promise<string[]>
  usage(query: UsageQuery): Promise<UsageGroup[]>
  usageRows(key: SessionKey, query: UsageRowsQuery): Promise<DailyUsage[]>
  storage(query: StorageQuery): Promise<StorageGroup[]>
  logSize(key: SessionKey): Promise<LogSize>
  /** Returns ids in ascending order, after `after`. */
  sessionIds(query: IdsQuery): Promise<string[]>
  /** Counts all sessions and events. */
  totals(within: Principal | undefined): Promise<Totals>
  repair(
    key: SessionKey,
    expectedHead: number,
    view: SessionView,
    edges: readonly StoredEdge[],
    /** @default none */
    usage?: readonly DailyUsage[],
    /** Bytes of the log. @default as stored */
    bytes?: number,
  ): Promise<boolean>
  purge(key: SessionKey, at: string): Promise<PurgeCounts>
  erase(): Promise<boolean>
  edges(key: SessionKey, query: EdgesQuery): Promise<StoredEdge[]>
  workMark(key: SessionKey, tools: string): Promise<WorkMark>
  deriveWork(request: DeriveRequest): Promise<boolean>
  /** Returns the commits of a conversation in ascending order of position, ties by id, after `after`. */
  commits(query: CommitsQuery): Promise<CommitLink[]>
  /** Returns ids of sessions for a sweep, the longest waiting first. */
  due(query: DueQuery): Promise<string[]>
  /** Extends the lease of a live run. */
  renew(request: RenewRequest): Promise<boolean>
  claimable(query: ClaimQuery): Promise<ClaimableSession[]>
  asking(query: AskingQuery): Promise<AskingSession[]>
  /** Returns when the intake was paused; `undefined` while it is open. */
  pausedSince(): Promise<string | undefined>
  /** Pauses the intake of new sessions, or resumes it with `undefined`. A second pause keeps the first time. */
  pause(since: string | undefined): Promise<void>
  /** Returns the secret of the store, from which ids are derived. */
  secret(candidate: string): Promise<string>
  /** Returns a function that ends the watch. */
  watch(sessionId: string, wake: () => void): () => void
  /** Throws if the store does not respond, lacks tables or takes no writes. */
  health(): Promise<StoreHealth>
  close(): Promise<void>
}

/** A session id, for a caller who may see everything or only `within`. */
export interface SessionKey {
  readonly sessionId: string
  readonly within?: Principal
}

/** An event to store. */
export interface NewEvent {
  readonly id: string
  readonly type: string
  readonly role: string
  readonly content: string
  /** JSON text, stored byte for byte. */
  readonly parts?: string
  readonly agentId?: string
  readonly occurredAt?: string
  /** Salt and digest as 56 hex digits. */
  readonly checksum: string
}

/** A stored event. */
export interface StoredEvent extends Omit<NewEvent, 'checksum'> {
  readonly sequence: number
  readonly createdAt: string
}

/** A stored event with its checksum. */
export type ChecksummedEvent = StoredEvent & NewEvent

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
  /** The usage that the events carry; absent if none does. */
  readonly usage?: UsageIncrement
  /** Generation of the run that writes. */
  readonly run?: number
}

export interface DecideRequest extends SessionKey {
  readonly at: string
  readonly idempotency?: IdempotencyStamp
  /** The decision may append a commit to its chain. */
  readonly chained?: boolean
  /**
   * `state`: the decider reads only the scratchpad and whether the session is live, nothing that plain appends move. A
   * store may then decide on cached views first, and decides again on current ones unless the write met the same
   * decision version.
   */
  readonly reads?: 'state'
  /** Pure: it may run more than once. `last` is the last commit of the chain, with `chained`. */
  decide(view: SessionView, last?: CommitLink): Decision
}

export interface Decision {
  readonly events: readonly NewEvent[]
  /** The views after those events. */
  readonly view: SessionView
  readonly edges?: readonly NewEdge[]
  /** The usage that the events carry; absent if none does. The view contains it. */
  readonly usage?: UsageIncrement
}

/** A relation to store. */
export interface NewEdge {
  readonly from: string
  readonly label: string
  readonly to: string
  /** JSON text. */
  readonly evidence: string
  /** Index of its event in the decision, from 0. */
  readonly event: number
}

/** A stored relation. */
export interface StoredEdge extends Omit<NewEdge, 'event'> {
  /** Sequence of its event. */
  readonly sequence: number
}

/** How far the edges of tool calls have been derived from a log. */
export interface WorkMark {
  readonly head: number
  /** Sequence of the last event that was read; 0 for none. */
  readonly at: number
  /** What the next events need of those before, as JSON text; empty at the start. */
  readonly state: string
}

export interface DeriveRequest extends SessionKey {
  /** Name of the table that says what tool calls mean. */
  readonly tools: string
  readonly from: number
  readonly to: number
  readonly state: string
  readonly edges: readonly StoredEdge[]
}

export interface EdgesQuery {
  /** Also the edges derived with these tools. */
  readonly tools?: string
  /** Only edges that leave (`out`) or reach (`in`) one of these nodes. Absent: all edges. */
  readonly nodes?: readonly string[]
  readonly direction?: 'out' | 'in' | 'both'
  readonly labels?: readonly string[]
  readonly after?: Pick<StoredEdge, 'from' | 'label' | 'to' | 'sequence'>
  readonly limit: number
}

/** One commit of a chain: of a user in a conversation. */
export interface CommitLink {
  readonly id: string
  readonly sessionId: string
  /** Empty once the session was purged. */
  readonly userId: string
  /** 1, 2, 3 … in the chain. */
  readonly position: number
  /** When it was created. */
  readonly at: string
  /** When its session was purged. */
  readonly purgedAt?: string
}

export interface CommitsQuery {
  readonly tenant: string
  readonly conversationId: string
  /** Only commits of this user; purged ones belong to nobody. */
  readonly userId?: string
  readonly after?: { readonly position: number; readonly id: string }
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
  /** True if the key was known and nothing was written. */
  readonly replayed: boolean
}

export interface CreateRequest {
  readonly event: NewEvent
  readonly at: string
  /** The views after that event. */
  readonly view: SessionView
  /** Live session to return instead of creating one: none, the conversation's, or the newest of any. */
  readonly reuse: 'none' | 'conversation' | 'any'
  /** Creates the session even while the intake is paused. */
  readonly ignorePause?: boolean
  /** The id was made for this request, so no other session has it. */
  readonly isNewId?: boolean
}

export interface CreateResult {
  readonly outcome: 'created' | 'found' | 'same-id' | 'blocked'
  /** The created, found or blocking session. */
  readonly record: SessionRecord
}

export interface ForkRequest {
  readonly source: SessionKey & { readonly sequence: number }
  /** `session_forked`, stored after the copied events. */
  readonly event: NewEvent
  readonly at: string
  /** The views after that event; their owner is that of the source. */
  readonly view: SessionView
  /** The id was made for this request, so no other session has it. */
  readonly isNewId?: boolean
}

export interface ReadQuery {
  /** Exclusive. */
  readonly after?: number
  /** Exclusive. */
  readonly before?: number
  readonly types?: readonly string[]
  readonly turns?: number
  /**
   * Only events on the current line. Ranges instead of `true` let all pages of a walk see the line of one view.
   *
   * @default all events; with `turns`, those on the line
   */
  readonly line?: true | HiddenRanges
  readonly order: 'asc' | 'desc'
  readonly limit: number
}

/** Sequences between two others, both exclusive. */
export interface SequenceRange {
  readonly after: number
  readonly before: number
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
  readonly parent?: string
  readonly ids?: readonly string[]
  /** Last activity at or after. */
  readonly since?: string
  /** Last activity before. */
  readonly until?: string
  readonly cursor?: { readonly lastActivityAt: string; readonly id: string }
  readonly limit: number
}

export interface LabelQuery {
  readonly tenant: string
  readonly userId?: string
  readonly label: string
  readonly limit: number
}

/** The bytes of a log up to its head. */
export interface LogSize {
  readonly head: number
  readonly bytes: number
}

export interface IdsQuery {
  readonly after?: string
  readonly limit: number
  readonly within?: Principal
}

/** Counts of what a purge deleted. */
export interface PurgeCounts {
  readonly events: number
  readonly keys: number
}

export interface Totals {
  readonly sessions: number
  readonly events: number
}

export interface StoreHealth {
  /** Schema version; absent for stores without one. */
  readonly schema?: number
  /** More facts about the store. */
  readonly details: Readonly<Record<string, string | number>>
}
