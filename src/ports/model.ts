import type { Classifiable, MessageIntent } from '../domain/classify.ts'
import type { SessionEvent } from '../domain/event.ts'
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

/** An intent, and how it came about. */
export interface Judged {
  intent: MessageIntent
  by: 'rules' | 'model' | 'caller'
  /** The rule that decided, where the rules did. */
  rule?: string
  /** Why the rules had to, where a model or a function was asked first. Safe to store. */
  fallback?: string
}

/** Judges a message in its session. Never fails: in the end there are the rules. */
export type Classifier = (input: Classifiable) => Promise<Judged>

/** Events to sum up, and the summary to use where there is no other. */
export interface Summarizable {
  events: readonly SessionEvent[]
  task?: string | undefined
  /** Called only when it is needed. */
  extractive: () => string
}

/** A summary, and how it came about. */
export interface Summarized {
  /** Of 20,000 characters at most, unless it is extractive. */
  summary: string
  by: 'extractive' | 'model' | 'caller'
  /** Why it is extractive, where a model or a function was asked first. Safe to store. */
  fallback?: string
}

/** Sums up events. Fails only where `extractive` does. */
export type Summarizer = (input: Summarizable) => Promise<Summarized>

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
