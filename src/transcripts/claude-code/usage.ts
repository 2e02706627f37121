import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { type Draft, textAt } from '../draft.ts'
import { tokenCount, type UsageParts, validUsage } from '../usage.ts'
import { parseUuid } from '../uuid.ts'

/** Messages whose numbers are kept. The lines of a message follow each other closely. */
const KEPT = 16

/** Model of answers that the program itself wrote. */
const SYNTHETIC = '<synthetic>'

type Numbers = Record<'input' | 'output' | 'read' | 'write' | 'cost', number>

const NONE: Numbers = { input: 0, output: 0, read: 0, write: 0, cost: 0 }

/**
 * Adds usage to the drafts of a session. A message of the model is written as several lines, each with the usage so
 * far. So each line carries what it adds to the lines before it, and the sum of a message is its last usage.
 */
export class MessageUsage {
  readonly #sessionId: string
  readonly #seen = new Map<string, Numbers>()

  /** @param sessionId lines with another id are copied from the session that was resumed or forked */
  constructor(sessionId: string) {
    this.#sessionId = sessionId
  }

  addTo(drafts: readonly Draft[], entry: JsonObject): readonly Draft[] {
    const place = drafts.findIndex(({ type }) => type === 'model_message' || type === 'tool_call')
    const usage = place < 0 || this.#isCopy(entry) ? undefined : this.#next(entry)
    if (usage === undefined) return drafts
    return drafts.map((draft, i) => (i === place ? { ...draft, parts: { ...draft.parts, usage } } : draft))
  }

  #isCopy({ sessionId, forkedFrom }: JsonObject): boolean {
    const id = parseUuid(sessionId)
    return isObject(forkedFrom) || (id !== undefined && id !== this.#sessionId)
  }

  #next(entry: JsonObject): UsageParts | undefined {
    const { message } = entry
    const model = textAt(message, 'model')
    if (model === SYNTHETIC) return undefined
    const now = numbersOf(message, entry['costUSD'])
    const id = textAt(message, 'id') || textAt(entry, 'requestId')
    const before = this.#seen.get(id) ?? NONE
    if (id !== '')
      this.#keep(
        id,
        each((key) => Math.max(before[key], now[key])),
      )
    const { input, output, read, write, cost } = each((key) => Math.max(0, now[key] - before[key]))
    return validUsage({ model, input: input + read + write, output, read, write, cost })
  }

  #keep(id: string, numbers: Numbers): void {
    this.#seen.delete(id)
    this.#seen.set(id, numbers)
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > KEPT && oldest !== undefined) this.#seen.delete(oldest)
  }
}

function each(number: (key: keyof Numbers) => number): Numbers {
  return Object.fromEntries(Object.keys(NONE).map((key) => [key, number(key as keyof Numbers)])) as Numbers
}

/** The numbers of a line; those of older versions come with their cost. */
function numbersOf(message: Json | undefined, cost: Json | undefined): Numbers {
  const usage = isObject(message) && isObject(message['usage']) ? message['usage'] : {}
  return {
    input: tokenCount(usage['input_tokens']),
    output: tokenCount(usage['output_tokens']),
    read: tokenCount(usage['cache_read_input_tokens']),
    write: tokenCount(usage['cache_creation_input_tokens']),
    cost: typeof cost === 'number' && cost > 0 ? cost : 0,
  }
}
