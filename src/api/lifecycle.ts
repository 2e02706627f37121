import type { Page, Progress, RecallItem, Session, WriteOptions } from '../api.ts'
import type { MessageIntent } from '../domain/classify.ts'
import type { CommitKind } from '../domain/commit.ts'
import type { ContextShare } from '../domain/context.ts'
import type { Action } from '../domain/intent.ts'
import type { SourceType } from '../domain/memory/source-type.ts'
import type { Message } from '../domain/message.ts'
import type { RecallKind } from '../domain/recall/recall-kind.ts'
import type { ResumePlan } from '../domain/resume.ts'
import type { Edge, WorkCommit } from '../domain/work.ts'

/** Observations of the work; each throws `VALIDATION` at once if it is not one. */
export interface Observe {
  /** A text that begins with `Decision:` counts as a decision. */
  note(text: string): void
  plan(text: string): void
  fileRead(file: { path: string }): void
  /** Of the content only hash and length are kept. */
  fileWrite(file: { path: string; content?: string; hash?: string }): void
  /** Of a long output the last 16,384 characters are kept. */
  command(run: { command: string; exitCode?: number; output?: string }): void
  /** Relations between nodes such as `file:src/a.ts`, `item:parse`, `task:session`. */
  relations(edges: readonly Edge[]): void
}

/** What one step of the work holds. */
export interface WorkStep extends WorkCommit {
  /** Sequence of its event. */
  sequence: number
}

/** Where to begin in the graph, and how far to go. */
export interface GraphQuery {
  /** @default 'task:session', the task of the session */
  node?: string
  /** 1 to 10. @default 1 */
  depth?: number
  /** @default 'both' */
  direction?: 'in' | 'out' | 'both'
  labels?: readonly string[]
  /** Edges at most, 1 to 500. @default 100 */
  limit?: number
}

/** A part of the graph. */
export interface Graph {
  node: string
  /** All nodes of the edges, the one asked for first. */
  nodes: string[]
  edges: GraphEdge[]
  /** There is more than was asked for. */
  truncated: boolean
}

/** A relation, with every observation of it. */
export interface GraphEdge {
  from: string
  label: string
  to: string
  evidence: { sequence: number; confidence: number; tool?: string; event?: number }[]
}

/** The life of conversations: what a user's message does, and how to go on after a pause. */
export interface Conversations {
  /**
   * Takes a user's message: it answers, changes, confirms or gives up what the conversation is at, or begins a new session.
   * One call, and the outcome says what happened and what to say. With an `idempotencyKey` the same message is taken once, and gives the first
   * outcome each time, also where the first attempt died half way; another message with it throws `IDEMPOTENCY_MISMATCH`. The key is valid within
   * the conversation of that user and chatmode. Its last ten sessions remember it for a day, and one that began by it for as long as it is there.
   */
  handle(conversationId: string, message: Incoming, options?: WriteOptions): Promise<Outcome>
  /** Where the conversation stands when its user comes back, and what to say. Not activity by itself. */
  resume(conversationId: string, scope: ResumeScope): Promise<Resumed>
  /**
   * The user does not want to go on: the session ends, with a commit of what there is. Keys are as in {@link Conversations.handle}; where there
   * was nothing to end, nothing is remembered.
   */
  decline(conversationId: string, scope: ConversationScope, options?: WriteOptions): Promise<Resumed>
  /** The commits of a conversation, oldest first. */
  commits(conversationId: string, options?: CommitsOptions): Promise<Page<Commit>>
}

/** Whose conversation. */
export interface ConversationScope {
  userId: string
  /** @default 'default' */
  chatmode?: string
  /** @default 'local', or the caller's own */
  tenant?: string
}

/** Whose conversation to resume. */
export interface ResumeScope extends ConversationScope {
  /** The user has accepted the offer to go on: the answer is by where the session stands, however long it rested. */
  accept?: boolean
}

/** A message of a user. */
export interface Incoming extends ConversationScope {
  message: string
}

/** What became of a message. */
export interface Outcome {
  /** `started` where the conversation had no live session. */
  action: Action | 'started'
  intent: MessageIntent
  /** Who judged the message, by what rule, and why not whoever was asked first. It is kept with the message. */
  judged: { by?: 'rules' | 'model' | 'caller'; rule?: string; fallback?: string }
  /** The live session of the conversation, if it has one now. */
  session?: Session
  /** The session that ended by it. */
  ended?: Session
  /** What to say to the user. */
  say: string
}

/** Where a conversation stands. */
export interface Resumed {
  plan: ResumePlan['plan']
  /** The session that waits. */
  session?: Session
  /** The session that ended by it. */
  ended?: Session
  /** What to say to the user. */
  say: string
}

/** The canonical commit of a session. */
export interface Commit {
  id: string
  sessionId: string
  /** The commit before it in the conversation. */
  parent?: string
  /** 1, 2, 3 … in the conversation. */
  position: number
  kind: CommitKind
  task?: string
  summary: string
  /** Where the summary comes from. */
  summarizedBy?: 'caller' | 'model' | 'extractive'
  /** Why it is an extract, where a summarizer was asked first. */
  fallback?: string
  decisions: string[]
  filesRead: string[]
  /** The last write of each path. */
  filesWritten: { path: string; hash?: string; bytes?: number }[]
  /** The last run of each command. */
  commands: { command: string; exitCode?: number }[]
  openQuestions: string[]
  /** The events it stands for, and their SHA-256. */
  range?: { from: number; to: number }
  hash?: string
  at: string
  /** Its session was purged then: nothing else is left of it. */
  purgedAt?: string
}

/** Conditions of a compaction. */
export interface CompactOptions extends WriteOptions {
  /** Called as the log is read. */
  onProgress?: (progress: { events: number; of: number }) => void
}

/** Which commits to list. */
export interface CommitsOptions {
  /** Only those of this user. */
  userId?: string
  /** @default 'local', or the caller's own */
  tenant?: string
  /** 1 to 500. @default 100 */
  limit?: number
  cursor?: string
}

/** How large a context may be. */
export interface ContextOptions {
  /** Budget by the tokenizer given to `open()`; any number from 0 up. */
  maxTokens: number
  /**
   * Also what other sessions and the memories hold on the last that the user said, or on a query of your own. What comes into
   * the context is logged as `memory_recall`. @default false
   */
  recall?: boolean | ContextRecall
  /** False only looks: the recall is not logged, and memories do not count as used. @default true */
  record?: boolean
}

/** What to recall into a context. */
export interface ContextRecall {
  /** @default the last user message, with the task */
  query?: string
  /** 1 to 100. @default 10 */
  limit?: number
  /** @default all of them */
  kinds?: readonly RecallKind[]
  /** Of memories: only what came about in these ways, such as all but `tool_output`. */
  sourceTypes?: readonly SourceType[]
}

/** What goes to the model. */
export interface ContextResult<Messages> {
  messages: Messages
  tokens: number
  /** What those tokens went to, in the order it is told. Sections that are not there are not in it. */
  sections: ContextShare[]
  /** What was left out, and why. `history` are messages before the last 500 turns or the budget; at most 500 are counted. */
  omitted: { section: string; count: number; reason: 'budget' | 'no_call' | 'no_result' }[]
  /** Ids of calls at the end that wait for their result. */
  dangling: string[]
  /** What was recalled and found room, best first. Absent where nothing was asked for. */
  recalled?: RecallItem[]
}

/** How to make the past smaller. */
export interface ReduceOptions extends WriteOptions {
  maxTokens: number
  /** @default 'summarize' above 80 % of the budget, else 'window' */
  strategy?: 'window' | 'truncate' | 'summarize'
}

/** The past, made smaller. */
export interface Reduced {
  strategy: 'window' | 'truncate' | 'summarize'
  messages: Message[]
  tokens: number
  summary?: string
  /** The events that the summary stands for, and their SHA-256. */
  range?: { from: number; to: number }
  hash?: string
}

/** Options of `sweep`. */
export interface SweepOptions {
  /** Called as the work goes on. Others may sweep too, so that fewer may be left to do than there were when it began. */
  onProgress?: (progress: Progress) => void
}

/** What a sweep did. */
export interface SweepReport {
  /** Sessions that were ended. */
  swept: number
  compacted: number
  /** Sessions that could not be closed; the next sweep tries again. */
  failed: number
  /** Memories that had expired, and are gone. */
  forgotten: number
}
