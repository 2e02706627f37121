type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue | undefined }

/** A part of a user message for the AI SDK. */
export type AISDKUserPart =
  | { type: 'text'; text: string }
  | { type: 'image'; image: string; mediaType?: string }
  | { type: 'file'; data: string | { type: 'text'; text: string }; mediaType: string; filename?: string }

/** A part of an assistant message for the AI SDK. */
export type AISDKAssistantPart =
  | { type: 'text'; text: string }
  | { type: 'file'; data: string | { type: 'text'; text: string }; mediaType: string; filename?: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown }

/** A tool's output for the AI SDK. */
export type AISDKOutput =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'json' | 'error-json'; value: JsonValue }
  | { type: 'content'; value: AISDKOutputPart[] }

/** A part of a tool's output for the AI SDK. */
export type AISDKOutputPart =
  | { type: 'text'; text: string }
  | { type: 'image-data'; data: string; mediaType: string }
  | { type: 'image-url'; url: string }
  | { type: 'file-data'; data: string; mediaType: string; filename?: string }
  | { type: 'file-url'; url: string; mediaType?: string }

/** A tool result for the AI SDK. */
export interface AISDKToolResult {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: AISDKOutput
}

/** A message for the AI SDK, as this package writes it. */
export type AISDKMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | AISDKUserPart[] }
  | { role: 'assistant'; content: string | AISDKAssistantPart[] }
  | { role: 'tool'; content: AISDKToolResult[] }
