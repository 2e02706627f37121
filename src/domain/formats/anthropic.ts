import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Message } from '../message.ts'
import { defined } from '../optional.ts'
import { readMessages, readSystem } from './anthropic-read.ts'
import type { AnthropicConversation } from './anthropic-shape.ts'
import { joinSystem, writeMessage, writeResult, writeSystem } from './anthropic-write.ts'
import { applyDifference } from './difference.ts'
import { pairResults, type WriteOptions } from './pairing.ts'
import { restore, toWritable, type WritableMessage } from './parts.ts'

const FORMAT = 'anthropic'

/** Options of `toAnthropic`. */
export interface AnthropicOptions extends WriteOptions {
  /**
   * Position of later system messages. `top`: in the system prompt, which every model accepts. `inline`: where they
   * are, which only newer models accept.
   *
   * @default 'top'
   */
  laterSystem?: 'top' | 'inline'
}

/**
 * Writes messages for Anthropic. Results of one message's calls go into the next user message, before its text. Other
 * adjacent messages of one role stay separate: the API joins them itself, and a joined message could not be split
 * again.
 *
 * The format cannot carry: the place of a system message, unless `laterSystem` is `inline`; timestamps and agent ids;
 * text of white space alone; spaces in arguments; images and files of the assistant; files other than PDF and text.
 */
export function toAnthropic(messages: readonly Message[], options: AnthropicOptions = {}): AnthropicConversation {
  const prompts: Json[] = []
  const list: JsonObject[] = []
  /** The blocks of the last message if it holds only results so far. */
  let results: Json[] | undefined
  for (const message of pairResults(messages, FORMAT, { ...options, adjacent: true })) {
    const said = toWritable(message, FORMAT)
    if (message.role === 'system' && !staysInline(said, options, list.length > 0)) {
      const prompt = restore(writeSystem(said), said)
      if (prompt !== undefined) prompts.push(prompt)
      continue
    }
    const apart = said.own && said.apart === true
    if (message.role === 'tool') {
      if (results === undefined || apart) {
        results = []
        list.push({
          ...(applyDifference({ role: 'user' }, said.own ? said.outer : undefined) as JsonObject),
          content: results,
        })
      }
      results.push(restore(writeResult(message, said), said) ?? {})
      continue
    }
    const joined = results !== undefined && message.role === 'user' && !apart
    const written = restore(writeMessage(message, said, joined), said) as JsonObject | undefined
    if (written === undefined) continue
    if (joined && Array.isArray(written.content)) for (const block of written.content) results?.push(block)
    else list.push(written)
    results = undefined
  }
  const system = joinSystem(prompts)
  return defined({ system, messages: list }) as unknown as AnthropicConversation
}

/**
 * Reads Anthropic messages: a list, or an object with `messages` and optionally `system`. Throws `ValidationError` with
 * the wrong field.
 */
export function fromAnthropic(input: unknown): Message[] {
  const given = input as Json | undefined
  return isObject(given) ? [...readSystem(given.system), ...readMessages(given.messages)] : readMessages(input)
}

function staysInline(said: WritableMessage, { laterSystem }: AnthropicOptions, later: boolean): boolean {
  return (said.own && said.inline === true) || (later && laterSystem === 'inline')
}
