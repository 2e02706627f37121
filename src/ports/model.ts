import type { ClassifyInput, MessageIntent } from '../domain/classify.ts'
import type { SessionEvent } from '../domain/event.ts'
import type { Fact } from '../domain/memory/extract.ts'
import type { SessionStatus } from '../domain/record.ts'

/**
 * Classifies a user message for its session. If it fails, times out or returns no intent, the rules decide.
 */
export type Classify = (input: {
  message: string
  status: SessionStatus
  task?: string
}) => MessageIntent | Promise<MessageIntent>

/**
 * Summarizes events in plain text of up to 20,000 characters. If it fails, times out or returns nothing, the extractive
 * summary is used.
 */
export type Summarize = (input: { events: readonly SessionEvent[]; task?: string }) => string | Promise<string>

/**
 * Extracts up to 50 facts worth remembering from events of one session. Invalid facts are left out; if it fails, times
 * out or returns no list, the rules decide. A fact that rests on a tool result is stored as `tool_output`, whatever its
 * own label.
 */
export type Extract = (input: ExtractInput) => readonly FoundFact[] | Promise<readonly FoundFact[]>

/** A fact as a caller's function returns it. */
export interface FoundFact {
  category: Fact['category']
  /** Up to 1,000 characters. */
  content: string
  /** First and last supporting event, by sequence, among the given ones. `to` defaults to `from`. */
  from: number
  to?: number
  /** @default 'implicit' */
  sourceType?: Fact['sourceType']
  /** 0 to 1. @default the rules' confidence for its category */
  confidence?: number
}

/** Events of one session, in order. A model gets at most 200, so callers page. */
export interface ExtractInput {
  events: readonly SessionEvent[]
}

/** Facts in log order, and who found them. */
export interface ExtractResult {
  facts: Fact[]
  by: 'rules' | 'model' | 'caller'
  /** Why the model's or function's answer was not used. Safe to store. */
  fallback?: string
}

/** Extracts facts. Never fails: the rules are the fallback. */
export type Extractor = (input: ExtractInput) => Promise<ExtractResult>

/** An intent, and who decided it. */
export interface ClassifyResult {
  intent: MessageIntent
  by: 'rules' | 'model' | 'caller'
  /** The rule that decided, if the rules did. */
  rule?: string
  /** Why the model's or function's answer was not used. Safe to store. */
  fallback?: string
}

/** Classifies a message in its session. Never fails: the rules are the fallback. */
export type Classifier = (input: ClassifyInput) => Promise<ClassifyResult>

/** Events to summarize, and the fallback summary. */
export interface SummarizeInput {
  events: readonly SessionEvent[]
  task?: string | undefined
  /** Called only if needed. */
  extractive: () => string
}

/** A summary, and who wrote it. */
export interface SummarizeResult {
  /** At most 20,000 characters unless extractive. */
  summary: string
  by: 'extractive' | 'model' | 'caller'
  /** Why the model's or function's answer was not used. Safe to store. */
  fallback?: string
}

/** Summarizes events. Fails only if `extractive` does. */
export type Summarizer = (input: SummarizeInput) => Promise<SummarizeResult>

/**
 * A language model of the AI SDK, version 5 or later, as its providers create it: `openai('…')`. A model id alone,
 * which is plain text, does not work.
 */
export interface LanguageModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4'
  readonly provider: string
  readonly modelId: string
  doGenerate(options: ModelCall): PromiseLike<ModelAnswer>
}

/** One model call. */
export interface ModelCall {
  prompt: ModelMessage[]
  maxOutputTokens: number
  temperature: number
  /** Fires on timeout. */
  abortSignal: AbortSignal
}

/** One message of a prompt. */
export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: { type: 'text'; text: string }[] }

/** A model's response. Only parts of type `text` count. */
export interface ModelAnswer {
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  /** Plain text in `v2`. */
  readonly finishReason: string | { readonly unified: string }
}
