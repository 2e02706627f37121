import type { Message, ToolCall } from './domain/message.ts'

export type { Message, ToolCall }

/** The message interface of an agent loop. Sessions of `open()` have the same calls, but asynchronous. */
export interface MessageSession {
  readonly id: string
  addMessage(message: Message): void
  /** Returns a copy of all messages since the last `clear()`, oldest first. */
  messages(): Message[]
  clear(): void
}

/** Thrown by {@link memorySession} for an invalid message; `field` names the wrong part. */
export class MessageError extends TypeError {
  override readonly name = 'MessageError'
  readonly code = 'VALIDATION'
  readonly field: string

  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`)
    this.field = field
  }
}

/** Creates a session in this process only: no database, no file, no dependency, nothing to close. */
export function memorySession(): MessageSession {
  const id = uuid7()
  let messages: Message[] = []
  return {
    id,
    addMessage(message) {
      check(message)
      messages.push(copy(message))
    },
    messages: () => messages.map(copy),
    clear() {
      messages = []
    },
  }
}

const ROLES: readonly string[] = ['system', 'user', 'assistant', 'tool'] satisfies Message['role'][]

function check({ role, content, toolCalls = [], toolCallId }: Message): void {
  if (!ROLES.includes(role)) throw new MessageError('role', `must be one of ${ROLES.join(', ')}`)
  if (typeof content !== 'string') throw new MessageError('content', 'must be text')
  if (toolCalls.length > 0 && role !== 'assistant')
    throw new MessageError('toolCalls', 'only role assistant can call tools')
  if (toolCallId !== undefined && role !== 'tool') {
    throw new MessageError('toolCallId', 'only role tool can answer a call')
  }
  if (content === '' && toolCalls.length === 0 && toolCallId === undefined) {
    throw new MessageError('content', 'must not be empty')
  }
}

function copy({ toolCalls, parts, ...message }: Message): Message {
  return {
    ...message,
    ...(toolCalls !== undefined && { toolCalls: toolCalls.map((call) => ({ ...call })) }),
    ...(parts !== undefined && { parts: structuredClone(parts) }),
  }
}

let millisecond = 0
let time = ''

/** The same ids as in `ids.ts`; this file imports nothing from the package. */
function uuid7(): string {
  const now = Date.now()
  if (now !== millisecond) {
    const digits = now.toString(16).padStart(12, '0')
    time = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
    millisecond = now
  }
  // takes everything but time and version from a random UUID
  return time + crypto.randomUUID().slice(15)
}
