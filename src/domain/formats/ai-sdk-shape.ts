type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue | undefined }

/** A piece of a user's message for the AI SDK. */
export type AISDKUserPart =
  | { type: 'text'; text: string }
  | { type: 'image'; image: string; mediaType?: string }
  | { type: 'file'; data: string | { type: 'text'; text: string }; mediaType: string; filename?: string }

/** A piece of the assistant's message for the AI SDK. */
export type AISDKAssistantPart =
  | { type: 'text'; text: string }
  | { type: 'file'; data: string | { type: 'text'; text: string }; mediaType: string; filename?: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown }

/** What a tool gave, for the AI SDK. */
export type AISDKOutput =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'json' | 'error-json'; value: JsonValue }
  | { type: 'content'; value: AISDKOutputPart[] }

/** A piece of what a tool gave, for the AI SDK. */
export type AISDKOutputPart =
  | { type: 'text'; text: string }
  | { type: 'image-data'; data: string; mediaType: string }
  | { type: 'image-url'; url: string }
  | { type: 'file-data'; data: string; mediaType: string; filename?: string }
  | { type: 'file-url'; url: string; mediaType?: string }

/** The result of a call, for the AI SDK. */
export interface AISDKToolResult {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: AISDKOutput
}

/** A message for the AI SDK, as far as we make them ourselves. */
export type AISDKMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | AISDKUserPart[] }
  | { role: 'assistant'; content: string | AISDKAssistantPart[] }
  | { role: 'tool'; content: AISDKToolResult[] }
