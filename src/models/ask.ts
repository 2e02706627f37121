import type { LanguageModel } from '../ports/model.ts'
import { isModel, requireModelOrFunction } from './language-model.ts'

/** A prompt for the model. */
export interface Prompt {
  instructions: string
  data: string
  maxOutputTokens: number
}

/** An unchecked answer, or the problem. */
export interface AskResult {
  by: 'model' | 'caller'
  answer?: unknown
  /** Safe to store: contains nothing of the session. */
  problem?: string
}

/** Names used in problem texts. */
export const WHO = { model: 'the model', caller: 'the function' } as const

/**
 * Returns a call to the chosen function or model that ends within `timeoutMs` and never fails; `undefined` without a
 * choice.
 */
export function createAsk<Input>(
  field: string,
  choice: ((input: Input) => unknown) | LanguageModel | undefined,
  questionOf: (input: Input) => Prompt,
  timeoutMs: number,
): ((input: Input) => Promise<AskResult>) | undefined {
  requireModelOrFunction(field, choice)
  if (choice === undefined) return undefined
  if (typeof choice === 'function' && !isModel(choice))
    return (input) => askWithTimeout('caller', timeoutMs, () => choice(input))
  return (input) =>
    askWithTimeout('model', timeoutMs, (signal) => callModel(choice as LanguageModel, questionOf(input), signal))
}

async function askWithTimeout(
  by: AskResult['by'],
  timeoutMs: number,
  ask: (signal: AbortSignal) => unknown,
): Promise<AskResult> {
  try {
    const answer = await withTimeout(timeoutMs, ask)
    return answer === TIMED_OUT ? { by, problem: `${WHO[by]} took longer than ${timeoutMs} ms` } : { by, answer }
  } catch (error) {
    return {
      by,
      problem: `${WHO[by]} ${error instanceof StoppedEarly ? error.message : `failed${describeError(error)}`}`,
    }
  }
}

const TIMED_OUT = Symbol('slow')

/** Returns the result of `ask`, or `TIMED_OUT` after firing its signal; a later result or error is ignored. */
async function withTimeout(timeoutMs: number, ask: (signal: AbortSignal) => unknown): Promise<unknown> {
  const controller = new AbortController()
  const slow = Promise.withResolvers<typeof TIMED_OUT>()
  const onTimeout = () => {
    slow.resolve(TIMED_OUT)
    controller.abort()
  }
  // beyond 2 ** 31 - 1 a timer fires immediately
  const timer = setTimeout(onTimeout, Math.min(timeoutMs, 2 ** 31 - 1))
  // lets the process exit while it waits
  timer.unref()
  try {
    return await Promise.race([ask(controller.signal), slow.promise])
  } finally {
    clearTimeout(timer)
  }
}

class StoppedEarly extends Error {}

const UNFINISHED = ['length', 'content-filter', 'error', 'interrupted']

/** Returns the model's text. Throws if the answer was cut off. */
async function callModel(model: LanguageModel, question: Prompt, abortSignal: AbortSignal): Promise<string> {
  const { instructions, data, maxOutputTokens } = question
  const { content, finishReason } = await model.doGenerate({
    prompt: [
      { role: 'system', content: instructions },
      { role: 'user', content: [{ type: 'text', text: data }] },
    ],
    maxOutputTokens,
    temperature: 0,
    abortSignal,
  })
  const finish = typeof finishReason === 'string' ? finishReason : finishReason?.unified
  if (UNFINISHED.includes(finish)) throw new StoppedEarly(`stopped early: ${finish}`)
  return content.map(({ type, text }) => (type === 'text' ? text : '')).join('')
}

/** Returns name and HTTP status of an error. Leaves out its message, which may contain the prompt. */
function describeError(error: unknown): string {
  const { name, statusCode } = (error ?? {}) as { name?: unknown; statusCode?: unknown }
  const kind = [
    ...(typeof name === 'string' && /^[\w.-]{1,64}$/.test(name) ? [name] : []),
    ...(typeof statusCode === 'number' ? [statusCode] : []),
  ]
  return kind.length === 0 ? '' : `: ${kind.join(' ')}`
}

/** Returns the start of an unusable answer. */
export function excerpt(answer: unknown): string {
  if (typeof answer !== 'string') return `a value of type ${typeof answer}`
  return answer.trim() === '' ? 'nothing' : JSON.stringify(answer.slice(0, 64).toWellFormed())
}

/** Prefixes each line with a mark, so that no text can end its own quotation. */
export function quoteLines(text: string): string {
  return text
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u)
    .map((line) => `> ${line}`)
    .join('\n')
}

/** Keeps start and end of a text longer than `max`. */
export function truncateMiddle(text: string, max: number): string {
  if (text.length <= max) return text
  const half = Math.floor(max / 2)
  return `${text.slice(0, half)} [… ${text.length - 2 * half} characters left out …] ${text.slice(-half)}`.toWellFormed()
}
