import type { Message } from '../message.ts'
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
  /** Ids of its calls without a result. */
  open: string[]
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
      else slots.push({ message, results: [], open: [] })
    } else if (message.role === 'tool') {
      const id = message.toolCallId ?? ''
      const caller = waiting.get(id)?.pop()
      if (caller === undefined) continue
      caller.open.splice(caller.open.indexOf(id), 1)
      if (adjacent) caller.results.push(message)
      else slots.push({ message, results: [], open: [] })
    } else {
      const open = message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : []
      const slot = { message, results: [], open }
      speaker = slots.push(slot) - 1
      for (const id of open) push(waiting, id, slot)
    }
  }
  return slots.flatMap(({ message, results, open }, i) => [
    message,
    ...results,
    ...(i < speaker ? open.map((id) => missingResult(id, format)) : []),
  ])
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
