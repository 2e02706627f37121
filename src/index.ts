export type {
  ActiveScope,
  AgentTransition,
  AppendOptions,
  BackfillOptions,
  BackfillReport,
  CacheHealth,
  ClaimOptions,
  Commit,
  CommitsOptions,
  CompactOptions,
  ContextOptions,
  ContextRecall,
  ContextResult,
  Contradiction,
  ConversationScope,
  Conversations,
  CreateSession,
  Difference,
  EnvelopePatch,
  Envelopes,
  EventInput,
  EventsQuery,
  Evidence,
  ExportedEvent,
  ExportOptions,
  ExportPlace,
  Extraction,
  ForgetSource,
  Forgotten,
  ForkOptions,
  FoundMemory,
  Graph,
  GraphEdge,
  GraphQuery,
  HandoffInput,
  Health,
  ImportOptions,
  ImportProgress,
  ImportReport,
  Incoming,
  IndexOptions,
  IndexReport,
  Intake,
  IntakeStatus,
  ListMemories,
  ListSessions,
  Memories,
  MessagesQuery,
  Observe,
  Outcome,
  Page,
  Progress,
  PurgeOptions,
  PurgeReceipt,
  RebuildReport,
  RecallItem,
  RecallQuery,
  RecallResult,
  RecentOptions,
  Reduced,
  ReduceOptions,
  RefusedSession,
  Remembered,
  RememberInput,
  Resumed,
  ResumeScope,
  RollbackOptions,
  RollbackReport,
  Run,
  RunOptions,
  RunRecord,
  ScheduledWake,
  SearchMemories,
  Session,
  SessionBlock,
  Sessions,
  Snapshot,
  StatePatch,
  StepContext,
  StorageBy,
  StorageQuery,
  StorageReport,
  StorageSums,
  SweepOptions,
  SweepReport,
  SwitchOptions,
  TailOptions,
  Throughline,
  TransitionInput,
  UpkeepOptions,
  UpkeepProgress,
  UsageBy,
  UsageQuery,
  UsageReport,
  Users,
  VerifyReport,
  WarmOptions,
  WarmReport,
  WorkStep,
  WriteOptions,
} from './api.ts'
export { roundtable } from './domain/agents.ts'
export type { MessageIntent } from './domain/classify.ts'
export type { CommitKind } from './domain/commit.ts'
export type { ContextShare, Omission, Positions } from './domain/context/context.ts'
export { type Analysis, type Envelope, RESERVED_KEYS } from './domain/envelope.ts'
export {
  ERROR_CODES,
  type ErrorCode,
  IdempotencyMismatchError,
  ImportConflictError,
  IntakePausedError,
  InternalError,
  InvalidTransitionError,
  MemoryNotFoundError,
  QuotaExceededError,
  type QuotaKind,
  RateLimitedError,
  RequestResolvedError,
  RouteNotFoundError,
  RunActiveError,
  RunLostError,
  SchemaNewerError,
  SchemaOutdatedError,
  SequenceConflictError,
  SessionActiveError,
  SessionEndedError,
  SessionNotFoundError,
  StorageError,
  ThroughlineError,
  TooLargeError,
  TooManyStreamsError,
  UnauthenticatedError,
  UnavailableError,
  ValidationError,
} from './domain/errors.ts'
export {
  APPENDABLE_TYPES,
  type AppendableType,
  type CustomType,
  type EventType,
  ROLES,
  type Role,
  type SessionEvent,
  type ToolCallPart,
} from './domain/event.ts'
export type { SessionScratchpad } from './domain/fold.ts'
export {
  type AISDKMessage,
  type AnthropicConversation,
  type FormatOutput,
  fromAISDK,
  fromAnthropic,
  fromOpenAIChat,
  fromOpenAIResponses,
  MESSAGE_FORMATS,
  type MessageFormat,
  type OpenAIChatMessage,
  type OpenAIResponsesItem,
  toAISDK,
  toAnthropic,
  toOpenAIChat,
  toOpenAIResponses,
} from './domain/formats/formats.ts'
export {
  type Edge,
  LABELS,
  type Label,
  NODE_KINDS,
  type NodeKind,
  type Observation,
  type WorkCommit,
} from './domain/graph.ts'
export type { Action } from './domain/intent.ts'
export type { Json, JsonObject } from './domain/json.ts'
export { LIMITS } from './domain/limits.ts'
export {
  type LineageEntry,
  MEMORY_CATEGORIES,
  type Memory,
  type MemoryCategory,
  type MemoryChange,
  type MemorySource,
} from './domain/memory/memory.ts'
export { SOURCE_TYPES, type SourceType } from './domain/memory/source-type.ts'
export type { Message, ToolCall } from './domain/message.ts'
export type { Policy } from './domain/policy.ts'
export { costOf, type ModelPrice, type Prices } from './domain/price.ts'
export { RECALL_KINDS, type RecallKind } from './domain/recall/recall-kind.ts'
export {
  type LiveRun,
  type Principal,
  SESSION_STATES,
  type SessionRecord,
  type SessionState,
  type SessionStatus,
} from './domain/record.ts'
export type { OpenRequest } from './domain/request.ts'
export type { ResumePlan } from './domain/resume.ts'
export { RUN_OUTCOMES, type RunOutcome, STOP_REASONS, type StopReason } from './domain/run.ts'
export type { HandoffContext, Scratchpad, WellKnownKeys } from './domain/scratchpad.ts'
export type { SessionUsage, Usage, UsageSums } from './domain/usage.ts'
export type { Window } from './domain/window.ts'
export type { QuotaLimits } from './features/kernel/quotas.ts'
export { RunStopped } from './features/runs/stop.ts'
export { type ExportCheck, exportLines, importLines } from './features/transfer/lines.ts'
export { open } from './open/open.ts'
export type { OpenOptions } from './open/options.ts'
export type { Clock } from './ports/clock.ts'
export type { Embed } from './ports/embed.ts'
export type { MetricsRegistry } from './ports/metrics.ts'
export type { Classify, Extract, LanguageModel, Summarize } from './ports/model.ts'
export type { Tokenizer } from './ports/tokenizer.ts'
export type { StatedObservation, ToolArguments, ToolReader, ToolUse } from './ports/tool-reader.ts'
export {
  type ServiceErrorCode,
  type ServiceMessage,
  type ServiceOptions,
  type ServiceResult,
  type SessionMessage,
  type SessionResponse,
  type SessionService,
  serviceOf,
} from './service.ts'
