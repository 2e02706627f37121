/** Types of the server's responses. */

export type { FoundMemory } from '../../../src/api/memory.ts'
export type {
  Branch,
  Commit,
  ContextResult,
  Graph,
  GraphEdge,
  Page,
  RecallItem,
  RecallResult,
  RequestStatus,
  SessionRequest,
  Snapshot,
  WorkStep,
} from '../../../src/api.ts'
export type { Envelope } from '../../../src/domain/envelope.ts'
export type { EventType, SessionEvent, ToolCallPart } from '../../../src/domain/event.ts'
export type { SwitchedParts } from '../../../src/domain/fold.ts'
export type { MessageFormat } from '../../../src/domain/formats/parts.ts'
export type { Edge, Observation } from '../../../src/domain/graph.ts'
export type { Json, JsonObject } from '../../../src/domain/json.ts'
export type { LifecycleCommandName } from '../../../src/domain/lifecycle.ts'
export type { LineageEntry, Memory, MemoryChange, MemorySource } from '../../../src/domain/memory/memory.ts'
export type { Message } from '../../../src/domain/message.ts'
export type { LiveRun, SessionRecord, SessionState, SessionStatus } from '../../../src/domain/record.ts'
export type { HiddenRanges, RewoundParts } from '../../../src/domain/rewind.ts'
export type { RunFinishedParts, RunOutcome, RunStartedParts } from '../../../src/domain/run.ts'
export type { Usage, UsageSums } from '../../../src/domain/usage.ts'
