import { isObject, type Json, type JsonObject } from '../../src/domain/json.ts'

/** What a line was: what its JSON says, or else its text, or else its bytes. */
export type OriginalLine = { value: Json } | { text: string } | { base64: string }

interface Kept {
  type: string
  content: string
  occurredAt?: string
  parts?: Json
}

/** The other way round: the lines that events came from, by their numbers. */
export function restoreLines(events: readonly Kept[]): Map<number, OriginalLine> {
  const lines = Map.groupBy(
    events.filter(({ type }) => type !== 'session_started'),
    ({ parts }) => Number((parts as JsonObject)['line']),
  )
  return new Map([...lines].map(([number, list]) => [number, givenBy(list)]))
}

/** What a line says by itself, for comparison. */
export function parseLine(bytes: Uint8Array): OriginalLine {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    try {
      return { value: JSON.parse(text) as Json }
    } catch {
      return { text }
    }
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') }
  }
}

function givenBy(events: readonly Kept[]): OriginalLine {
  const [first] = events as [Kept]
  const sources = events.map(({ parts }) => (parts as { source?: Json }).source).filter(isObject)
  if (sources.length > 0) return parseLine(Buffer.concat(sources.map(bytesOf)))
  if (first.type.endsWith('.unreadable')) return { text: first.content }

  const whole: { entry: Json } = structuredClone({ entry: (first.parts as { entry: Json }).entry })
  const { occurredAt } = first
  if (occurredAt !== undefined && isObject(whole.entry)) whole.entry = { ...whole.entry, timestamp: occurredAt }
  for (const event of events) {
    const { at, block } = event.parts as { at?: (string | number)[]; block?: Json }
    if (block === undefined) {
      if (at !== undefined) put(whole.entry, at, event.content)
      continue
    }
    const list = blocksIn(whole.entry)
    list.content ??= []
    list.content.push(blockOf(event, at))
  }
  putArguments(whole.entry, first)
  return { value: whole.entry }
}

/** What holds the blocks of a message: `message` of Claude Code, `payload` of Codex, or the entry itself. */
function blocksIn(entry: Json): { content?: Json[] } {
  const { message, payload } = entry as unknown as { message?: object; payload?: object }
  return message ?? payload ?? (entry as object)
}

/** The arguments of a call of Codex, which its event has. */
function putArguments(entry: Json, { type, parts }: Kept): void {
  if (type !== 'tool_call' || !isObject(entry)) return
  const item = (isObject(entry['payload']) ? entry['payload'] : entry) as Record<string, Json>
  const { arguments: given } = structuredClone(parts) as { arguments: Json }
  const put = (key: string, value: Json) => {
    if (!Object.hasOwn(item, key)) item[key] = value
  }
  if (item['type'] === 'function_call') put('arguments', typeof given === 'string' ? given : JSON.stringify(given))
  if (item['type'] === 'custom_tool_call') put('input', (given as { input: Json }).input)
  if (item['type'] === 'local_shell_call') put('action', given)
  if (item['type'] === 'tool_search_call') put('arguments', given)
}

function blockOf({ type, content, parts }: Kept, at: (string | number)[] | undefined): Json {
  const { block, id, name, arguments: input, toolCallId } = structuredClone(parts) as Record<string, Json>
  const shown = { tool_call: { id, name, input }, tool_result: { tool_use_id: toolCallId } }[type]
  const whole = shown === undefined ? (block as Json) : ({ ...(block as JsonObject), ...shown } as Json)
  if (at !== undefined) put(whole, at, content)
  return whole
}

function put(into: Json, at: readonly (string | number)[], value: string): void {
  const holder = at.slice(0, -1).reduce<Json>((inner, key) => (inner as Record<string, Json>)[key] as Json, into)
  ;(holder as Record<string, Json>)[String(at.at(-1))] = value
}

function bytesOf({ text, escaped, base64 }: JsonObject): Buffer {
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64')
  return Buffer.from(typeof escaped === 'string' ? (JSON.parse(escaped) as string) : String(text))
}
