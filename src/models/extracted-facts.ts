import type { SessionEvent } from '../domain/event.ts'
import { containsSecret } from '../domain/memory/extract/secret.ts'
import { type Fact, IMPLICIT_CONFIDENCE } from '../domain/memory/extract.ts'
import { MEMORY_CATEGORIES } from '../domain/memory/memory.ts'
import { SOURCE_TYPES } from '../domain/memory/source-type.ts'
import { terms } from '../domain/recall/text.ts'
import { isInTranscript } from './transcript.ts'

/** Maximum facts per answer, and characters per fact. */
const MAX_FACTS = 50
const MAX_LENGTH = 1000
/** Confidence of facts from tools. */
const TOOL_CONFIDENCE = 0.5

/** Validates found facts and returns them in log order, each once; `undefined` if none of the given ones is valid. */
export function parseFacts(
  found: readonly unknown[],
  events: readonly SessionEvent[],
  by: 'model' | 'caller',
): Fact[] | undefined {
  const readable = by === 'model' ? events.filter(isInTranscript) : events
  const source = sourcesIn(readable)
  const facts = new Map<string, Fact>()
  for (const value of found) {
    if (facts.size === MAX_FACTS) break
    const fact = parseFact(value, by, source)
    if (fact === undefined) continue
    const key = JSON.stringify([fact.category, fact.content.toLowerCase()])
    if (!facts.has(key)) facts.set(key, fact)
  }
  if (facts.size === 0 && found.length > 0) return undefined
  return [...facts.values()].sort((a, b) => a.to - b.to || a.from - b.from)
}

function parseFact(value: unknown, by: 'model' | 'caller', source: Sources): Fact | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const given = value as Readonly<Record<string, unknown>>
  const category = MEMORY_CATEGORIES.find((known) => known === given['category'])
  const content = typeof given['content'] === 'string' ? toStorableText(given['content']) : ''
  const { from, to = from } = given
  if (category === undefined || content === '' || content.length > MAX_LENGTH || containsSecret(content))
    return undefined
  if (!source.has(from) || !source.has(to) || from > to) return undefined
  const byTool = given['tool'] === true || given['sourceType'] === 'tool_output' || source.isTool(content, from, to)
  if (by === 'model') {
    // a model's fact is never `explicit`: a text in the log could have told it to say so
    const confidence = byTool ? TOOL_CONFIDENCE : IMPLICIT_CONFIDENCE[category]
    return { category, content, sourceType: byTool ? 'tool_output' : 'implicit', confidence, from, to }
  }
  const sourceType = byTool
    ? 'tool_output'
    : SOURCE_TYPES.find((known) => known === (given['sourceType'] ?? 'implicit'))
  const confidence = given['confidence'] ?? (byTool ? TOOL_CONFIDENCE : IMPLICIT_CONFIDENCE[category])
  if (sourceType === undefined || typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1))
    return undefined
  return { category, content, sourceType, confidence, from, to }
}

/** Makes the text storable, on one line. */
function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '').replace(/\s+/gu, ' ').trim()
}

interface Sources {
  has(sequence: unknown): sequence is number
  /** Whether this content, attributed to these events, comes from a tool. */
  isTool(content: string, from: number, to: number): boolean
}

function sourcesIn(events: readonly SessionEvent[]): Sources {
  const sequences = new Set<unknown>(events.map(({ sequence }) => sequence))
  const tools = events.filter(isTool)
  const wordsOf = (some: readonly SessionEvent[]) => new Set(some.flatMap(({ content }) => terms(content)))
  const toolWords = wordsOf(tools)
  return {
    has: (sequence): sequence is number => sequences.has(sequence),
    isTool(content, from, to) {
      if (tools.some(({ sequence }) => from <= sequence && sequence <= to)) return true
      if (tools.length === 0) return false
      // a tool's words attributed to a user's message are still the tool's
      const cited = wordsOf(events.filter(({ sequence }) => from <= sequence && sequence <= to))
      const words = terms(content)
      const itsOwn = words.filter((word) => cited.has(word)).length
      return words.filter((word) => toolWords.has(word) && !cited.has(word)).length > itsOwn
    },
  }
}

const isTool = ({ type, role }: SessionEvent) => type === 'tool_result' || role === 'tool'
