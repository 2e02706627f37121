import type { ClassifyInput, MessageIntent } from '../domain/classify.ts'
import type { SessionEvent } from '../domain/event.ts'
import type { Fact } from '../domain/memory/extract.ts'
import type { SessionStatus } from '../domain/record.ts'

/**
 * Says what a user message means for its session. An answer that is no intent, a failure or a late answer leaves the
 * decision to the rules.
 */
export type Classify = (input: {
  message: string
  status: SessionStatus
  task?: string
}) => MessageIntent | Promise<MessageIntent>

/**
 * Sums up what was said and done, in plain text of up to 20,000 characters. An empty answer, a failure or a late answer
 * leaves it to the extractive summary.
 */
export type Summarize = (input: { events: readonly SessionEvent[]; task?: string }) => string | Promise<string>

/**
 * Finds what is worth remembering in events of one session, 50 things at most. What is not as it should be is left out; a
 * failure, a late answer or one that is no list leaves it to the rules. What rests on the result of a tool is kept as
 * `tool_output`, whatever it says of itself.
 */
export type Extract = (input: ExtractInput) => readonly FoundFact[] | Promise<readonly FoundFact[]>

/** Something to remember, as a caller's function gives it. */
export interface FoundFact {
  category: Fact['category']
  /** Up to 1,000 characters. */
  content: string
  /** First and last event it rests on, by sequence, among those that were given. `to` is `from` if it is left out. */
  from: number
  to?: number
  /** By default `implicit`. */
  sourceType?: Fact['sourceType']
  /** From 0 to 1; by default what the rules believe of its kind. */
  confidence?: number
}

/** Events of one session, in their order. A model is shown 200 at most, so callers go page by page. */
export interface ExtractInput {
  events: readonly SessionEvent[]
}

/** What was found, in the order of the log, and how it came about. */
export interface ExtractResult {
  facts: Fact[]
  by: 'rules' | 'model' | 'caller'
  /** Why the rules had to, where a model or a function was asked first. Safe to store. */
  fallback?: string
}

/** Finds what is worth remembering. Never fails: in the end there are the rules. */
export type Extractor = (input: ExtractInput) => Promise<ExtractResult>

/** An intent, and how it came about. */
export interface ClassifyResult {
  intent: MessageIntent
  by: 'rules' | 'model' | 'caller'
  /** The rule that decided, where the rules did. */
  rule?: string
  /** Why the rules had to, where a model or a function was asked first. Safe to store. */
  fallback?: string
}

/** Judges a message in its session. Never fails: in the end there are the rules. */
export type Classifier = (input: ClassifyInput) => Promise<ClassifyResult>

/** Events to sum up, and the summary to use where there is no other. */
export interface SummarizeInput {
  events: readonly SessionEvent[]
  task?: string | undefined
  /** Called only when it is needed. */
  extractive: () => string
}

/** A summary, and how it came about. */
export interface SummarizeResult {
  /** Of 20,000 characters at most, unless it is extractive. */
  summary: string
  by: 'extractive' | 'model' | 'caller'
  /** Why it is extractive, where a model or a function was asked first. Safe to store. */
  fallback?: string
}

/** Sums up events. Fails only where `extractive` does. */
export type Summarizer = (input: SummarizeInput) => Promise<SummarizeResult>

/**
 * What is used of a language model of the AI SDK, version 5 and later: the objects that its providers make, such as
 * `openai('…')`, can be passed as they are. Ids of models, which are plain text, cannot.
 */
export interface LanguageModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4'
  readonly provider: string
  readonly modelId: string
  doGenerate(options: ModelCall): PromiseLike<ModelAnswer>
}

/** One call of a model. */
export interface ModelCall {
  prompt: ModelMessage[]
  maxOutputTokens: number
  temperature: number
  /** Fires when the answer is no longer waited for. */
  abortSignal: AbortSignal
}

/** One message of a prompt. */
export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: { type: 'text'; text: string }[] }

/** What a model gives back. Only parts of type `text` are its answer. */
export interface ModelAnswer {
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  /** Plain text in `v2`. */
  readonly finishReason: string | { readonly unified: string }
}
