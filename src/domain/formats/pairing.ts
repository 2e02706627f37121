import type { Message, ToolCall } from '../message.ts'
import { type MessageFormat, toWritable, withParts } from './parts.ts'

/** Options of a writer. */
export interface WriteOptions {
  /**
   * Handling of calls without a result and results without a call, which providers refuse. `repair`: a call that other
   * messages follow gets a placeholder result, and a result without a call is left out. `keep`: nothing changes.
   *
   * @default 'repair'
   */
  unpaired?: 'repair' | 'keep'
}

/** Content of a placeholder result. */
export const NO_RESULT = 'No result was recorded for this call.'

interface Slot {
  message: Message
  /** Messages directly after it. */
  results: Message[]
  /** Ids of its calls. */
  calls: string[]
  /** Number of results by id. */
  answered: Map<string, number>
}

/**
 * Orders messages as providers accept them: each call has one result, and with `adjacent` results directly follow the
 * calling message. Calls at the very end stay open, since their results are still to come. If two messages use the same
 * call id, a result belongs to the later one.
 */
export function pairResults(
  messages: readonly Message[],
  format: MessageFormat,
  { adjacent, unpaired = 'repair' }: WriteOptions & { adjacent: boolean },
): readonly Message[] {
  if (unpaired === 'keep') return messages
  const slots: Slot[] = []
  const waiting = new Map<string, Slot[]>()
  let speaker = -1
  for (const message of messages) {
    const last = slots.at(-1)
    if (isAttached(message, format)) {
      if (adjacent && last !== undefined) last.results.push(message)
      else slots.push(slotOf(message))
    } else if (message.role === 'tool') {
      const id = message.toolCallId ?? ''
      const caller = waiting.get(id)?.pop()
      if (caller === undefined) continue
      caller.answered.set(id, (caller.answered.get(id) ?? 0) + 1)
      if (adjacent) caller.results.push(message)
      else slots.push(slotOf(message))
    } else {
      const slot = slotOf(message, message.role === 'assistant' ? message.toolCalls : [])
      speaker = slots.push(slot) - 1
      for (const id of slot.calls) push(waiting, id, slot)
    }
  }
  return slots.flatMap((slot, i) => [
    slot.message,
    ...slot.results,
    ...(i < speaker ? openCalls(slot).map((id) => missingResult(id, format)) : []),
  ])
}

function slotOf(message: Message, calls: readonly ToolCall[] = []): Slot {
  return { message, results: [], calls: calls.map(({ id }) => id), answered: new Map() }
}

/** Ids of the calls without a result. */
function openCalls({ calls, answered }: Slot): string[] {
  return calls.filter((id) => {
    const left = answered.get(id) ?? 0
    answered.set(id, left - 1)
    return left <= 0
  })
}

function missingResult(toolCallId: string, format: MessageFormat): Message {
  return withParts({ role: 'tool', toolCallId, content: NO_RESULT }, format, { isError: true })
}

function isAttached(message: Message, format: MessageFormat): boolean {
  if (message.parts === undefined) return false
  const { own, attached } = toWritable(message, format)
  return own && attached === true
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}
