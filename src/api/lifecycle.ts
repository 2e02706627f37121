import type { Page, Progress, RecallItem, Session, WriteOptions } from '../api.ts'
import type { MessageIntent } from '../domain/classify.ts'
import type { CommitKind } from '../domain/commit.ts'
import type { ContextShare, Omission } from '../domain/context/context.ts'
import type { Edge, WorkCommit } from '../domain/graph.ts'
import type { Action } from '../domain/intent.ts'
import type { SourceType } from '../domain/memory/source-type.ts'
import type { Message } from '../domain/message.ts'
import type { RecallKind } from '../domain/recall/recall-kind.ts'
import type { ResumePlan } from '../domain/resume.ts'

/** Records observations of the work. Each call throws `VALIDATION` at once for invalid input. */
export interface Observe {
  /** A text that starts with `Decision:` counts as a decision. */
  note(text: string): void
  plan(text: string): void
  fileRead(file: { path: string }): void
  /** Stores only hash and length of `content`. */
  fileWrite(file: { path: string; content?: string; hash?: string }): void
  /** Keeps the last 16,384 characters of `output`. */
  command(run: { command: string; exitCode?: number; output?: string }): void
  /** Relations between nodes like `file:src/a.ts`, `item:parse` or `task:session`. */
  relations(edges: readonly Edge[]): void
}

/** One stored step of the work. */
export interface WorkStep extends WorkCommit {
  /** Sequence of its event. */
  sequence: number
}

/** Start and reach of a graph query. */
export interface GraphQuery {
  /** @default 'task:session', the task of the session */
  node?: string
  /** 1 to 10. @default 1 */
  depth?: number
  /** @default 'both' */
  direction?: 'in' | 'out' | 'both'
  labels?: readonly string[]
  /** Maximum number of edges, 1 to 500. @default 100 */
  limit?: number
}

/** A part of the graph. */
export interface Graph {
  node: string
  /** All nodes of the edges, the requested one first. */
  nodes: string[]
  edges: GraphEdge[]
  /** The limit cut the result. */
  truncated: boolean
}

/** A relation and every observation of it. */
export interface GraphEdge {
  from: string
  label: string
  to: string
  evidence: { sequence: number; confidence: number; tool?: string; event?: number }[]
}

/** Handles a user's messages and continues conversations after a pause. */
export interface Conversations {
  /**
   * Applies a user's message: it answers, changes, confirms or gives up the current task, or starts a new session. The
   * outcome says what happened and what to tell the user.
   *
   * With an `idempotencyKey` the message is applied once and every repeat returns the first outcome, even if the first
   * attempt crashed half way. The same key with another message throws `IDEMPOTENCY_MISMATCH`. A key is valid within
   * one conversation of one user and chatmode: the last ten sessions remember it for a day, and the session it started
   * remembers it forever.
   */
  handle(conversationId: string, message: Incoming, options?: WriteOptions): Promise<Outcome>
  /** Returns the status of the conversation and what to tell the returning user. Does not count as activity. */
  resume(conversationId: string, scope: ResumeScope): Promise<Resumed>
  /**
   * Ends the session because the user does not want to continue, and commits what was done. Keys work as in {@link
   * Conversations.handle}; a call that ends nothing stores no key.
   */
  decline(conversationId: string, scope: ConversationScope, options?: WriteOptions): Promise<Resumed>
  /** Lists the commits of a conversation, oldest first. */
  commits(conversationId: string, options?: CommitsOptions): Promise<Page<Commit>>
}

/** Owner of a conversation. */
export interface ConversationScope {
  userId: string
  /** @default 'default' */
  chatmode?: string
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** Conversation to resume. */
export interface ResumeScope extends ConversationScope {
  /** The user accepted the offer to continue: the plan follows the session's state, however long it was idle. */
  accept?: boolean
}

/** A user's message. */
export interface Incoming extends ConversationScope {
  message: string
}

/** What a message did. */
export interface Outcome {
  /** `started` if the conversation had no live session. */
  action: Action | 'started'
  intent: MessageIntent
  /** Who classified the message, by which rule, and why the first choice failed. Stored with the message. */
  judged: { by?: 'rules' | 'model' | 'caller'; rule?: string; fallback?: string }
  /** The conversation's live session, if it has one now. */
  session?: Session
  /** The session that this call ended. */
  ended?: Session
  /** Text for the user. */
  say: string
}

/** State of a resumed conversation. */
export interface Resumed {
  plan: ResumePlan['plan']
  /** The session to continue. */
  session?: Session
  /** The session that this call ended. */
  ended?: Session
  /** Text for the user. */
  say: string
}

/** The canonical commit of a session. */
export interface Commit {
  id: string
  sessionId: string
  /** The previous commit of the conversation. */
  parent?: string
  /** 1, 2, 3 … in the conversation. */
  position: number
  kind: CommitKind
  task?: string
  summary: string
  /** Who wrote the summary. */
  summarizedBy?: 'caller' | 'model' | 'extractive'
  /** Why the summarizer's answer was not used. */
  fallback?: string
  decisions: string[]
  filesRead: string[]
  /** The last write of each path. */
  filesWritten: { path: string; hash?: string; bytes?: number }[]
  /** The last run of each command. */
  commands: { command: string; exitCode?: number }[]
  openQuestions: string[]
  /** The events it covers, and their SHA-256. */
  range?: { from: number; to: number }
  hash?: string
  at: string
  /** When its session was purged; nothing else of it is left. */
  purgedAt?: string
}

/** Options of `compact`. */
export interface CompactOptions extends WriteOptions {
  /** Called while the log is read. */
  onProgress?: (progress: { events: number; of: number }) => void
}

/** Filters of a commit list. */
export interface CommitsOptions {
  /** Only commits of this user. */
  userId?: string
  /** @default 'local', or the caller's own */
  tenant?: string
  /** 1 to 500. @default 100 */
  limit?: number
  cursor?: string
}

/** Options of `context`. */
export interface ContextOptions {
  /** Token budget, counted by the tokenizer given to `open()`; any number from 0. */
  maxTokens: number
  /**
   * Adds what other sessions and memories say about the last user message, or about your own query. Logs the added
   * items as `memory_recall`. @default false
   */
  recall?: boolean | ContextRecall
  /** Adds the summaries of the last 10 sub-agents that have ended. @default false */
  children?: boolean
  /** False logs nothing and does not count memories as used. @default true */
  record?: boolean
}

/** What to recall into a context. */
export interface ContextRecall {
  /** @default the last user message and the task */
  query?: string
  /** 1 to 100. @default 10 */
  limit?: number
  /** @default all of them */
  kinds?: readonly RecallKind[]
  /** Only memories of these source types; leave out `tool_output` to ignore what tools said. */
  sourceTypes?: readonly SourceType[]
}

/** Messages for the model, and what was left out. */
export interface ContextResult<Messages> {
  messages: Messages
  tokens: number
  /** Tokens by section, in message order. Empty sections are absent. */
  sections: ContextShare[]
  /** What was left out or shortened, and why. */
  omitted: Omission[]
  /** Ids of final tool calls that still wait for a result. */
  dangling: string[]
  /** Recalled items that fit, best first. Absent without `recall`. */
  recalled?: RecallItem[]
}

/** Options of `reduce`. */
export interface ReduceOptions extends WriteOptions {
  maxTokens: number
  /** @default 'summarize' above 80 % of the budget, else 'window' */
  strategy?: 'window' | 'truncate' | 'summarize'
}

/** The reduced past. */
export interface Reduced {
  strategy: 'window' | 'truncate' | 'summarize'
  messages: Message[]
  tokens: number
  summary?: string
  /** The events that the summary covers, and their SHA-256. */
  range?: { from: number; to: number }
  hash?: string
}

/** Options of `sweep`. */
export interface SweepOptions {
  /** Ends and compacts only these sessions, if they are due; forgets no memories. At most 500. @default all */
  sessionIds?: readonly string[]
  /** Called with the progress. Other processes may sweep too, so fewer sessions may be left than `of` says. */
  onProgress?: (progress: Progress) => void
}

/** Result of a sweep. */
export interface SweepReport {
  /** Sessions ended. */
  swept: number
  compacted: number
  /** Sessions that failed to end; the next sweep tries again. */
  failed: number
  /** Expired memories removed. */
  forgotten: number
}
