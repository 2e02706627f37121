import type { EnvelopePatch, Envelopes, Intake } from './api/envelope.ts'
import type {
  Commit,
  CompactOptions,
  ContextOptions,
  ContextResult,
  Conversations,
  Graph,
  GraphQuery,
  Observe,
  Reduced,
  ReduceOptions,
  SweepOptions,
  SweepReport,
  WorkStep,
} from './api/lifecycle.ts'
import type {
  AgentTransition,
  AppendOptions,
  Branch,
  BranchesQuery,
  EventInput,
  EventsQuery,
  HandoffInput,
  MessagesQuery,
  RecentOptions,
  RewindInput,
  StatePatch,
  SwitchOptions,
  TailOptions,
  TransitionInput,
  WriteOptions,
} from './api/log.ts'
import type { Health, RebuildReport, UpkeepOptions, VerifyReport } from './api/maintenance.ts'
import type { IndexOptions, IndexReport, Memories, RecallQuery, RecallResult } from './api/memory.ts'
import type { ClaimOptions, Run, RunOptions, RunRecord, ScheduledWake } from './api/runs.ts'
import type {
  ActiveScope,
  CreateSession,
  ForkOptions,
  ListSessions,
  Page,
  PurgeOptions,
  PurgeReceipt,
  Snapshot,
} from './api/sessions.ts'
import type { ExportOptions, ImportOptions, ImportReport, SessionBlock } from './api/transfer.ts'
import type { StorageBy, StorageQuery, StorageReport, UsageBy, UsageQuery, UsageReport } from './api/usage.ts'
import type { Envelope } from './domain/envelope.ts'
import type { SessionEvent } from './domain/event.ts'
import type { SessionScratchpad } from './domain/fold.ts'
import type { FormatOutput, MessageFormat } from './domain/formats/formats.ts'
import type { Json, JsonObject } from './domain/json.ts'
import type { Message } from './domain/message.ts'
import type { Principal, SessionRecord } from './domain/record.ts'
import type { HandoffContext, Scratchpad } from './domain/scratchpad.ts'
import type { Window } from './domain/window.ts'

export type * from './api/envelope.ts'
export type * from './api/lifecycle.ts'
export type * from './api/log.ts'
export type * from './api/maintenance.ts'
export type * from './api/memory.ts'
export type * from './api/runs.ts'
export type * from './api/sessions.ts'
export type * from './api/transfer.ts'
export type * from './api/usage.ts'

/** The library: every session of one store. {@link open} returns it. */
export interface Throughline {
  readonly sessions: Sessions
  readonly users: Users
  readonly conversations: Conversations
  readonly memories: Memories
  /** Bulk work on envelopes. Operator only. */
  readonly envelopes: Envelopes
  /** Pauses and resumes the creation of sessions. Operator only. */
  readonly intake: Intake
  /** Ids of the registered agents, the default first. */
  readonly agents: readonly string[]
  /** The tenant or user this object is limited to. Absent for the operator, who sees everything. */
  readonly principal?: Principal
  /**
   * Returns the same library limited to one user, or to one tenant if no user is named. Everything else does not exist
   * for it. Its `close` does nothing: close the object that `open()` returned.
   */
  as(principal: Principal): Throughline
  /**
   * Searches a user's past: messages of every session, summaries of compacted sessions, and memories. Results come best
   * first and are the same on every store.
   */
  recall(query: RecallQuery): Promise<RecallResult>
  /**
   * Sums the tokens and costs of model calls by user, tenant, day or model, in ascending order. A purged session no
   * longer counts; a fork counts from its start.
   */
  usage<By extends UsageBy>(query: UsageQuery<By>): Promise<Page<UsageReport<By>>>
  /**
   * Sums what users or tenants store, in ascending order. Quotas count the same bytes; the database needs more, for its
   * indexes and free space.
   */
  storage<By extends StorageBy>(query: StorageQuery<By>): Promise<Page<StorageReport<By>>>
  /**
   * Updates the search index and extracts memories from ended sessions. This also happens in the background; call it
   * after an import or on a schedule. Without a user it covers everything the caller may see.
   */
  index(options?: IndexOptions): Promise<IndexReport>
  /**
   * Folds logs again and compares them with the stored views. Changes nothing and is safe while others write. Without
   * an id it checks every session of every tenant.
   */
  verify(sessionId?: string, options?: UpkeepOptions): Promise<VerifyReport>
  /**
   * Rewrites stored views that differ from their log. Skips a log with gaps; `verify` reports those. Without an id it
   * covers every session of every tenant.
   */
  rebuild(sessionId?: string, options?: UpkeepOptions): Promise<RebuildReport>
  /**
   * Returns the schema version of the store; absent for stores without one. `open()` has already migrated, or thrown
   * `SCHEMA_OUTDATED`.
   */
  migrate(): Promise<{ schema?: number }>
  /**
   * Ends and compacts sessions that are idle beyond the stale timeout or past their `expiresAt`. Safe to run from any
   * number of processes at once.
   */
  sweep(options?: SweepOptions): Promise<SweepReport>
  /**
   * Begins a run on a session that needs work, and waits until there is one. A session needs work when it is running or
   * interrupted, no run is live, and it was never worked on, was left by a lost run, was woken, had a request resolved, or
   * has a user message that came after its last run began. Tenants take turns, the longest waiting session first.
   */
  claim(options: ClaimOptions): Promise<Run>
  /**
   * Yields whole sessions block by block, in ascending order of id: `other.import(tl.export())` copies them. Safe while
   * others write; each session is exported up to its head at that moment.
   */
  export(options?: ExportOptions): AsyncIterable<SessionBlock>
  /**
   * Stores exported sessions with their ids, sequences and times. Existing events stay and only missing ones are added,
   * so an interrupted import can be repeated. A session becomes visible when all of it is stored. Only for the operator
   * or a whole tenant.
   */
  import(blocks: AsyncIterable<SessionBlock> | Iterable<SessionBlock>, options?: ImportOptions): Promise<ImportReport>
  /** The health of the store and its cache. Throws if the store does not respond or takes no writes. */
  health(): Promise<Health>
  /** Finishes accepted writes, ends every `tail`, and releases the store. */
  close(): Promise<void>
}

/** Creates and finds sessions. */
export interface Sessions {
  /**
   * Starts a session. Without `conversationId` it starts a new conversation; in a conversation that already has a live
   * session of this scope it throws `SESSION_ACTIVE`. Repeating the call with the same caller-made `id` is safe.
   */
  create(input: CreateSession): Promise<Session>
  /** Returns the session that `active` returns, or creates one. Concurrent callers all get the same session. */
  getOrCreate(input: CreateSession): Promise<Session>
  /** Returns the newest live session of the scope, or `undefined`. */
  active(scope: ActiveScope): Promise<Session | undefined>
  /** Throws `SESSION_NOT_FOUND` if the session does not exist or the caller may not see it. */
  get(id: string): Promise<Session>
  /** Lists sessions, newest activity first. */
  list(query?: ListSessions): Promise<Page<SessionRecord>>
  /** Deletes a session and everything stored about it. The only call that removes events. */
  purge(id: string): Promise<PurgeReceipt>
}

/** Calls that concern a person rather than a session. */
export interface Users {
  /** Deletes every session and memory of a user. After a failure call it again; it continues where it stopped. */
  purge(userId: string, options?: PurgeOptions): Promise<PurgeReceipt>
}

/** One session: a log and its views. A handle holds no data, so several can be used side by side. */
export interface Session {
  readonly id: string
  record(): Promise<SessionRecord>
  /**
   * Appends events, all or none, and returns them with their sequences. Accepts the seven types of
   * {@link AppendableType} and custom types that begin with `x.`.
   */
  append(events: EventInput | readonly EventInput[], options?: AppendOptions): Promise<SessionEvent[]>
  /** Reads one page of the log, by sequence. */
  events(query?: EventsQuery): Promise<SessionEvent[]>
  /** Returns the last turns, oldest first. Every tool result comes with its call. */
  recent(options?: RecentOptions): Promise<Window>
  /** Yields the events behind `after`, then each new one as any process writes it. */
  tail(options?: TailOptions): AsyncIterable<SessionEvent>
  /** Returns every view as it was right after the event `sequence`. */
  at(sequence: number): Promise<Snapshot>
  /** Starts a session in a new conversation with a copy of this session's events up to `at`. */
  fork(options?: ForkOptions): Promise<Session>
  /** Appends one or several messages, all or none, and returns their events. */
  addMessage(message: Message | readonly Message[], options?: AppendOptions): Promise<SessionEvent[]>
  /** Returns the messages since the last `clear()`, oldest first; with `format` in a provider's shape. */
  messages(query?: MessagesQuery): Promise<Message[]>
  messages<F extends MessageFormat>(query: MessagesQuery & { format: F }): Promise<FormatOutput[F]>
  /** Hides all messages so far from messages and windows. The log keeps them. */
  clear(options?: WriteOptions): Promise<void>
  /**
   * Continues from an earlier event: messages, windows, context, scratchpad, status, active agent and open requests are
   * as they were right after it. The log keeps everything; what came after it becomes an abandoned branch. Writes
   * nothing if nothing came after it. Throws `RUN_ACTIVE` while another worker's run is live.
   */
  rewind(rewind: RewindInput, options?: WriteOptions): Promise<SessionRecord>
  /** Returns one page of the abandoned branches, newest first. */
  branches(query?: BranchesQuery): Promise<Branch[]>
  /**
   * Puts another message in the place of an earlier one: a rewind to the event before it and the new message, in one
   * step. Returns the event of the new message.
   */
  replaceMessage(sequence: number, message: Message, options?: WriteOptions): Promise<SessionEvent>
  /** Returns the scratchpad: one JSON object of working memory. */
  state(): Promise<SessionScratchpad>
  /**
   * Merges a patch into the scratchpad (RFC 7396): objects merge key by key, `null` removes a key. Concurrent patches
   * to different keys are all kept.
   */
  updateState(patch: StatePatch, options?: WriteOptions): Promise<SessionScratchpad>
  /** Replaces the whole scratchpad. */
  replaceState(value: Scratchpad, options?: WriteOptions): Promise<SessionScratchpad>
  /** Adds a value to the list at `key` unless the list has it. Creates the list if needed. */
  addToState(key: string, value: Json, options?: WriteOptions): Promise<SessionScratchpad>
  /** Adds to the number at `key`; a missing number counts as 0. @param by @default 1 */
  incrementState(key: string, by?: number, options?: WriteOptions): Promise<SessionScratchpad>
  /** Records a `validation_gate` event and adds its number to `validation_gates_passed`, together. */
  passGate(gate: number, note?: string, options?: WriteOptions): Promise<SessionScratchpad>
  /**
   * Hands the session to another agent. One event records the transition and stores `handoff_context` in the
   * scratchpad, where it replaces a handoff nobody has taken.
   */
  handoff(handoff: HandoffInput, options?: WriteOptions): Promise<AgentTransition>
  /** Takes the handoff out of the scratchpad; `undefined` if none waits. Exactly one of several takers gets it. */
  takeHandoff(options?: WriteOptions): Promise<(HandoffContext & JsonObject) | undefined>
  /** Makes a registered agent the active one. Writes nothing if it already is. */
  setActiveAgent(agent: string, options?: SwitchOptions): Promise<SessionRecord>
  /** Makes a registered agent the active one and records the reason, as one event. */
  recordTransition(transition: TransitionInput, options?: WriteOptions): Promise<AgentTransition>
  /** Returns every transition and handoff, oldest first. */
  transitions(): Promise<AgentTransition[]>
  /** Returns the session's envelope: owner, persona, metadata and analysis. */
  envelope(): Promise<Envelope>
  /** Changes persona, client metadata or analysis. */
  updateEnvelope(patch: EnvelopePatch, options?: WriteOptions): Promise<Envelope>
  /** Asks the user and waits for an answer. The question also becomes a message. */
  ask(question: string, options?: WriteOptions): Promise<SessionRecord>
  /** Records the user's answer and continues the work. */
  answer(text: string, options?: WriteOptions): Promise<SessionRecord>
  /** Records that the user interrupts while the agent works. */
  interrupt(text: string, options?: WriteOptions): Promise<SessionRecord>
  /** Records that the agent has acted on the interruption, and continues the work. */
  incorporate(note?: string, options?: WriteOptions): Promise<SessionRecord>
  /** Proposes that the task is done and waits for the user to confirm. */
  propose(summary: string, options?: WriteOptions): Promise<SessionRecord>
  /** Completes the session on the user's confirmation and compacts it. */
  confirm(options?: WriteOptions): Promise<SessionRecord>
  /** Continues the work because the user wants more than was proposed. */
  continueWith(request: string, options?: WriteOptions): Promise<SessionRecord>
  /** Ends the session as aborted and compacts what was done. */
  abort(reason: string, options?: WriteOptions): Promise<SessionRecord>
  /** Ends the session as complete from any live state, without a commit. The log stays. */
  end(options?: WriteOptions): Promise<SessionRecord>
  /** Begins a run: until it ends or its lease expires, no other can begin. Throws `RUN_ACTIVE` while another is live. */
  run(options?: RunOptions): Promise<Run>
  /** Returns the runs of the session, newest first. */
  runs(): Promise<RunRecord[]>
  /** Asks the live run to stop, in whatever process it is: its signal fires. Without a live run nothing happens. */
  cancel(options?: { reason?: string } & WriteOptions): Promise<SessionRecord>
  /**
   * Makes the session need work at a time. The prompt becomes a user message when the next run begins. Another wake with
   * the same key replaces this one.
   */
  wakeAt(time: Date | string, options?: { prompt?: string; key?: string } & WriteOptions): Promise<ScheduledWake>
  /** Records observations of the work. They stay in this process until the next step, state change or compaction. */
  readonly observe: Observe
  /** Stores the waiting observations as one work commit; `undefined` if there are none. */
  flushStep(options?: WriteOptions): Promise<WorkStep | undefined>
  /** Returns the nodes around one node of the work graph, and their relations. */
  graph(query?: GraphQuery): Promise<Graph>
  /** Describes the work so far as plain text for people. */
  progress(): Promise<string>
  /**
   * Creates the canonical commit of an ended session, or returns the existing one. Without a summary it uses the
   * summarizer given to `open()`, else an extract. Throws `INVALID_TRANSITION` while the session is live.
   */
  compact(summary?: string, options?: CompactOptions): Promise<Commit>
  /**
   * Shrinks the past of a live session for the model: by a window, by truncation, or by a summary of all but the last
   * ten turns, stored as an event. The budget decides when no strategy is given.
   */
  reduce(options: ReduceOptions): Promise<Reduced>
  /**
   * Builds the messages for a model within a token budget: task and scratchpad, summaries of earlier sessions of the
   * conversation, the summary of this session's past, and the last messages. Reports what it left out.
   */
  context(options: ContextOptions): Promise<ContextResult<Message[]>>
  context<F extends MessageFormat>(options: ContextOptions & { format: F }): Promise<ContextResult<FormatOutput[F]>>
}
