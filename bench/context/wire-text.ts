import type { FormatOutput, Message, MessageFormat } from '../../dist/index.js'

/** Writes a context as a provider's cache compares it: one message per line, only role, content and calls. */
export function wireText(messages: readonly Message[]): string {
  return toLines(messages.map(({ role, content, toolCallId, toolCalls }) => ({ role, content, toolCallId, toolCalls })))
}

/** Writes a context in the format of a provider; what Anthropic takes as `system` comes first. */
export function formattedText(output: FormatOutput[MessageFormat]): string {
  return toLines(Array.isArray(output) ? output : [output.system ?? '', ...output.messages])
}

function toLines(messages: readonly unknown[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('')
}

/** Length of the longest common start of two texts. */
export function commonPrefix(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return at
}
