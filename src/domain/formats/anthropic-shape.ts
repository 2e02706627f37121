/** A text block of Anthropic. */
export interface AnthropicText {
  type: 'text'
  text: string
}

/** An image block of Anthropic. */
export interface AnthropicImage {
  type: 'image'
  source:
    | { type: 'base64'; media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'; data: string }
    | { type: 'url'; url: string }
}

/** A document block of Anthropic. */
export interface AnthropicDocument {
  type: 'document'
  source:
    | { type: 'base64'; media_type: 'application/pdf'; data: string }
    | { type: 'text'; media_type: 'text/plain'; data: string }
    | { type: 'url'; url: string }
  title?: string
}

/** A block that calls a tool. */
export interface AnthropicToolUse {
  type: 'tool_use'
  id: string
  name: string
  input: unknown
}

/** A block with the result of a call. */
export interface AnthropicToolResult {
  type: 'tool_result'
  tool_use_id: string
  content?: string | (AnthropicText | AnthropicImage | AnthropicDocument)[]
  is_error?: boolean
}

/** A message for Anthropic, as this package writes it. */
export type AnthropicMessage =
  | { role: 'user'; content: string | (AnthropicToolResult | AnthropicText | AnthropicImage | AnthropicDocument)[] }
  | { role: 'assistant'; content: string | (AnthropicText | AnthropicToolUse)[] }
  | { role: 'system'; content: string }

/** Messages and system prompt of an Anthropic request. */
export interface AnthropicConversation {
  system?: string | AnthropicText[]
  messages: AnthropicMessage[]
}
