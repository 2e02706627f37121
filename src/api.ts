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
  EventInput,
  EventsQuery,
  HandoffInput,
  MessagesQuery,
  RecentOptions,
  StatePatch,
  SwitchOptions,
  TailOptions,
  TransitionInput,
  WriteOptions,
} from './api/log.ts'
import type { Health, RebuildReport, UpkeepOptions, VerifyReport } from './api/maintenance.ts'
import type { IndexOptions, IndexReport, Memories, RecallQuery, RecallResult } from './api/memory.ts'
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
export type * from './api/sessions.ts'
export type * from './api/transfer.ts'

/** What {@link open} gives: every session of one store. */
export interface Throughline {
  readonly sessions: Sessions
  readonly users: Users
  readonly conversations: Conversations
  readonly memories: Memories
  /** Envelopes of all sessions at once. Only for the operator. */
  readonly envelopes: Envelopes
  /** Whether new sessions are taken. Only for the operator. */
  readonly intake: Intake
  /** Ids of the registered agents, the default first; empty where any agent id is accepted. */
  readonly agents: readonly string[]
  /** Whose sessions this object sees; absent for the operator, who sees all. */
  readonly principal?: Principal
  /**
   * The same object, seeing only what belongs to one user, or to one tenant if no user is named. What belongs to others
   * does not exist for it. Its `close` does nothing: whoever opened the store closes it.
   */
  as(principal: Principal): Throughline
  /**
   * Looks in all that a user's past holds: messages of every session, summaries of those that were compacted, memories. Best
   * first, the same on every store.
   */
  recall(query: RecallQuery): Promise<RecallResult>
  /**
   * Brings the index of words up to date with the logs, and gathers memories from sessions that have ended. It happens by itself
   * in quiet moments; call it after an import, or on a schedule. Without a user: all that the caller may see.
   */
  index(options?: IndexOptions): Promise<IndexReport>
  /**
   * Folds logs again and compares them with the views that are stored. Changes nothing, and may run while others write.
   * Without an id: every session of every tenant.
   */
  verify(sessionId?: string, options?: UpkeepOptions): Promise<VerifyReport>
  /**
   * Writes the views anew from the log where they differ from it. A log that has gaps is left alone: `verify` names them.
   * Without an id: every session of every tenant.
   */
  rebuild(sessionId?: string, options?: UpkeepOptions): Promise<RebuildReport>
  /**
   * The schema of the store, once it is up to date. It is by then: `open()` brings it there, or refuses with
   * `SCHEMA_OUTDATED`. Absent where there is none.
   */
  migrate(): Promise<{ schema?: number }>
  /**
   * Ends sessions that nobody came back to within the stale timeout, or that have expired, and compacts them. Any number of
   * processes may sweep at once.
   */
  sweep(options?: SweepOptions): Promise<SweepReport>
  /**
   * Whole sessions as they are in their logs, in ascending order of id, a block at a time: `other.import(tl.export())` copies them. May run while
   * others write: a session is exported as far as it reaches when its turn comes.
   */
  export(options?: ExportOptions): AsyncIterable<SessionBlock>
  /**
   * Takes sessions in as they are, with the ids, sequences and times that they have. What is here already stays, and only what is behind it
   * is added, so that an import may be broken off and repeated. A session is here when all of it is. For whoever runs the store or a whole tenant.
   */
  import(blocks: AsyncIterable<SessionBlock> | Iterable<SessionBlock>, options?: ImportOptions): Promise<ImportReport>
  health(): Promise<Health>
  /** Finishes what was accepted, ends every `tail`, and lets go of the store. */
  close(): Promise<void>
}

/** How sessions are started and found. */
export interface Sessions {
  /**
   * Starts a session. Without `conversationId` it begins a conversation of its own; in a conversation that already has
   * a live session of this scope it throws `SESSION_ACTIVE`. With an `id` made by the caller it can be repeated safely.
   */
  create(input: CreateSession): Promise<Session>
  /** The session that `active` would give, or a new one. However many callers race, they all get the same. */
  getOrCreate(input: CreateSession): Promise<Session>
  /** The newest live session of the scope; `undefined` if there is none. */
  active(scope: ActiveScope): Promise<Session | undefined>
  /** Throws `SESSION_NOT_FOUND` if there is no such session. */
  get(id: string): Promise<Session>
  /** Newest activity first. */
  list(query?: ListSessions): Promise<Page<SessionRecord>>
  /** Removes a session and all that is stored of it, for good. The only way events ever go away. */
  purge(id: string): Promise<PurgeReceipt>
}

/** What concerns a person rather than a session. */
export interface Users {
  /** Removes every session of a user, for good. Repeat it after a failure: it goes on where it stopped. */
  purge(userId: string, options?: PurgeOptions): Promise<PurgeReceipt>
}

/** One session: a log, and views of it. The handle holds no data, so any number of them may be used side by side. */
export interface Session {
  readonly id: string
  record(): Promise<SessionRecord>
  /**
   * Adds facts at the end of the log, all or none, and gives them back with their sequences. Takes the seven types of
   * {@link AppendableType} and types of your own that begin with `x.`.
   */
  append(events: EventInput | readonly EventInput[], options?: AppendOptions): Promise<SessionEvent[]>
  /** One page of the log, by sequence. */
  events(query?: EventsQuery): Promise<SessionEvent[]>
  /** The last turns, oldest first, cut so that no tool result stands without its call. */
  recent(options?: RecentOptions): Promise<Window>
  /** Events behind `after`, first those already there, then each new one as it is written, by whatever process. */
  tail(options?: TailOptions): AsyncIterable<SessionEvent>
  /** Every view as it was right after the event `sequence`. */
  at(sequence: number): Promise<Snapshot>
  /** A new session, in a new conversation, that begins with the events 1 to `at` of this one. */
  fork(options?: ForkOptions): Promise<Session>
  /** Adds a message at the end, or several, all or none, and gives the events that keep them. */
  addMessage(message: Message | readonly Message[], options?: AppendOptions): Promise<SessionEvent[]>
  /** What was said since the last `clear()`, oldest first; with `format` in the shape that a provider takes. */
  messages(query?: MessagesQuery): Promise<Message[]>
  messages<F extends MessageFormat>(query: MessagesQuery & { format: F }): Promise<FormatOutput[F]>
  /** Hides what was said so far from messages and windows. The log keeps it. */
  clear(options?: WriteOptions): Promise<void>
  /** The scratchpad: one JSON object of working memory. */
  state(): Promise<SessionScratchpad>
  /**
   * Merges a patch into the scratchpad by RFC 7396: objects merge key by key, `null` removes a key. Patches to different
   * keys are all kept, however many come at once.
   */
  updateState(patch: StatePatch, options?: WriteOptions): Promise<SessionScratchpad>
  /** Puts another scratchpad in place of the one there is. */
  replaceState(value: Scratchpad, options?: WriteOptions): Promise<SessionScratchpad>
  /** Adds a value to the list at `key`, unless the list has it; makes the list if there is none. */
  addToState(key: string, value: Json, options?: WriteOptions): Promise<SessionScratchpad>
  /** Adds to the number at `key`, which is 0 if there is none. @param by 1 if absent */
  incrementState(key: string, by?: number, options?: WriteOptions): Promise<SessionScratchpad>
  /** Records the `validation_gate` and puts its number into `validation_gates_passed`, together. */
  passGate(gate: number, note?: string, options?: WriteOptions): Promise<SessionScratchpad>
  /**
   * Hands the session to another agent: a transition, and `handoff_context` in the scratchpad for whoever takes it, as
   * one event. It takes the place of a handoff that nobody took.
   */
  handoff(handoff: HandoffInput, options?: WriteOptions): Promise<AgentTransition>
  /** Takes the handoff out of the scratchpad; `undefined` if none waits. Of any number of takers one gets it. */
  takeHandoff(options?: WriteOptions): Promise<(HandoffContext & JsonObject) | undefined>
  /** Makes an agent the active one, unless it is already. It must be registered. */
  setActiveAgent(agent: string, options?: SwitchOptions): Promise<SessionRecord>
  /** Makes an agent the active one, and records from whom and why, as one event. It must be registered. */
  recordTransition(transition: TransitionInput, options?: WriteOptions): Promise<AgentTransition>
  /** Every transition and handoff so far, oldest first. */
  transitions(): Promise<AgentTransition[]>
  /** The canonical document of the session: who it belongs to, who guides it, what is known of it. */
  envelope(): Promise<Envelope>
  /** Changes the envelope: the persona, what clients say of the session, what was found out of it. */
  updateEnvelope(patch: EnvelopePatch, options?: WriteOptions): Promise<Envelope>
  /** Asks the user and waits; the question is in the conversation too. */
  ask(question: string, options?: WriteOptions): Promise<SessionRecord>
  /** The user's answer to what was asked: the work goes on. */
  answer(text: string, options?: WriteOptions): Promise<SessionRecord>
  /** The user speaks up while the agent works. */
  interrupt(text: string, options?: WriteOptions): Promise<SessionRecord>
  /** The agent has taken the interruption up: the work goes on. */
  incorporate(note?: string, options?: WriteOptions): Promise<SessionRecord>
  /** The agent holds the task for done, and waits for the user to confirm. */
  propose(summary: string, options?: WriteOptions): Promise<SessionRecord>
  /** The user confirms: the session is complete, and compacted. */
  confirm(options?: WriteOptions): Promise<SessionRecord>
  /** The user wants more than was proposed: the work goes on. */
  continueWith(request: string, options?: WriteOptions): Promise<SessionRecord>
  /** Gives the task up, and compacts what there is. */
  abort(reason: string, options?: WriteOptions): Promise<SessionRecord>
  /** Ends the session as complete, in whatever live state it is, without a commit. Its log stays. */
  end(options?: WriteOptions): Promise<SessionRecord>
  /** What happens in the work. It waits in this process until the next step, state change or compaction. */
  readonly observe: Observe
  /** Makes what was observed durable, as one work commit; `undefined` if nothing was. */
  flushStep(options?: WriteOptions): Promise<WorkStep | undefined>
  /** The things around a node of the work, and how they are related. */
  graph(query?: GraphQuery): Promise<Graph>
  /** What was done so far, for people to read. */
  progress(): Promise<string>
  /**
   * Makes the canonical commit of an ended session, or gives the one it has. Without a summary it is the summarizer's given
   * to `open()`, else an extract. Throws `INVALID_TRANSITION` while the session is live.
   */
  compact(summary?: string, options?: CompactOptions): Promise<Commit>
  /**
   * Makes the past of a live session smaller for the model: by a window, by cutting, or by a summary of all but the last ten
   * turns, which is an event. Chosen by the budget if no strategy is given.
   */
  reduce(options: ReduceOptions): Promise<Reduced>
  /**
   * What goes to the model, within a budget of any size, and what was left out: task and scratchpad, summaries of earlier
   * sessions of the conversation, the summary of this one's past, the last messages.
   */
  context(options: ContextOptions): Promise<ContextResult<Message[]>>
  context<F extends MessageFormat>(options: ContextOptions & { format: F }): Promise<ContextResult<FormatOutput[F]>>
}
