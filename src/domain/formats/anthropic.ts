import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Message } from '../message.ts'
import { readMessages, readSystem } from './anthropic-read.ts'
import type { AnthropicConversation } from './anthropic-shape.ts'
import { joinSystem, writeMessage, writeResult, writeSystem } from './anthropic-write.ts'
import { applyDifference } from './difference.ts'
import { pairResults, type WriteOptions } from './pairing.ts'
import { restore, toWritable, type WritableMessage } from './parts.ts'

const FORMAT = 'anthropic'

/** How to write messages for Anthropic. */
export interface AnthropicOptions extends WriteOptions {
  /**
   * Where system messages go that come after others. `top`: into the system prompt, which every model takes.
   * `inline`: where they are, which only newer models take.
   *
   * @default 'top'
   */
  laterSystem?: 'top' | 'inline'
}

/**
 * Messages for Anthropic. Results of one message's calls go together into the next message of the user, in front of
 * what the user says there. Other neighbours of one role stay apart: the API joins them itself, and a message that
 * was joined could not be told from one that was always whole.
 *
 * The format cannot carry: the place of a system message, unless `laterSystem` is `inline`; timestamps and agent ids;
 * text of white space alone; spaces in arguments; images and files of the assistant; files other than PDF and text.
 */
export function toAnthropic(messages: readonly Message[], options: AnthropicOptions = {}): AnthropicConversation {
  const prompts: Json[] = []
  const list: JsonObject[] = []
  /** The blocks of the last message, if it holds nothing but results so far. */
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
    if (joined && Array.isArray(written.content)) results?.push(...written.content)
    else list.push(written)
    results = undefined
  }
  const system = joinSystem(prompts)
  return { ...(system !== undefined && { system }), messages: list } as unknown as AnthropicConversation
}

/**
 * Messages from any that Anthropic takes: a list, or an object with `messages` and maybe `system`. Throws
 * `ValidationError` naming the field that is wrong.
 */
export function fromAnthropic(input: unknown): Message[] {
  const given = input as Json | undefined
  return isObject(given) ? [...readSystem(given.system), ...readMessages(given.messages)] : readMessages(input)
}

function staysInline(said: WritableMessage, { laterSystem }: AnthropicOptions, later: boolean): boolean {
  return (said.own && said.inline === true) || (later && laterSystem === 'inline')
}
