import type { Message } from '../message.ts'
import { fromAISDK, toAISDK } from './ai-sdk.ts'
import type { AISDKMessage } from './ai-sdk-shape.ts'
import { type AnthropicOptions, fromAnthropic, toAnthropic } from './anthropic.ts'
import type { AnthropicConversation } from './anthropic-shape.ts'
import { fromOpenAIChat, type OpenAIChatMessage, toOpenAIChat } from './openai-chat.ts'
import { fromOpenAIResponses, type OpenAIResponsesItem, toOpenAIResponses } from './openai-responses.ts'
import type { WriteOptions } from './pairing.ts'
import type { MessageFormat } from './parts.ts'

export { MESSAGE_FORMATS, type MessageFormat } from './parts.ts'
export {
  type AISDKMessage,
  type AnthropicConversation,
  type AnthropicOptions,
  fromAISDK,
  fromAnthropic,
  fromOpenAIChat,
  fromOpenAIResponses,
  type OpenAIChatMessage,
  type OpenAIResponsesItem,
  toAISDK,
  toAnthropic,
  toOpenAIChat,
  toOpenAIResponses,
  type WriteOptions,
}

/** The output type of each format. */
export interface FormatOutput {
  'openai-chat': OpenAIChatMessage[]
  'openai-responses': OpenAIResponsesItem[]
  anthropic: AnthropicConversation
  'ai-sdk': AISDKMessage[]
}

/** The writer and reader of a format. */
export interface Format<Output, Options = WriteOptions> {
  /** Writes any list of messages. */
  to(messages: readonly Message[], options?: Options): Output
  /** Reads messages. Throws `ValidationError` with the wrong field. */
  from(input: unknown): Message[]
}

/** Every format by name. */
export const FORMATS: { readonly [F in MessageFormat]: Format<FormatOutput[F], AnthropicOptions> } = {
  'openai-chat': { to: toOpenAIChat, from: fromOpenAIChat },
  'openai-responses': { to: toOpenAIResponses, from: fromOpenAIResponses },
  anthropic: { to: toAnthropic, from: fromAnthropic },
  'ai-sdk': { to: toAISDK, from: fromAISDK },
}

/** Formats that accept system messages only at the beginning. */
const SYSTEM_FIRST: ReadonlySet<MessageFormat> = new Set(['anthropic', 'ai-sdk'])

/**
 * Turns later system messages into messages of the user where the format has no others. At the front they would change
 * the beginning of the prompt, which providers cache.
 */
export function withLateSystem(messages: readonly Message[], format: MessageFormat): readonly Message[] {
  if (!SYSTEM_FIRST.has(format)) return messages
  const first = messages.findIndex(({ role }) => role !== 'system')
  return messages.map((message, place) =>
    message.role === 'system' && first >= 0 && place > first ? { role: 'user', content: message.content } : message,
  )
}
