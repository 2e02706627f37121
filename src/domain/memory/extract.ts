import type { SessionEvent } from '../event.ts'
import { truncateText } from '../graph.ts'
import { isObject } from '../json.ts'
import { complete } from '../pieces.ts'
import { summarizeWork } from '../work.ts'
import { agreementOf } from './extract/agreement.ts'
import { categorize } from './extract/categorize.ts'
import { containsSecret } from './extract/secret.ts'
import { type Statement, statementsIn } from './extract/statements.ts'
import type { MemoryCategory } from './memory.ts'
import type { SourceType } from './source-type.ts'

/** A fact worth remembering and its events. */
export interface Fact {
  category: MemoryCategory
  /** A sentence of the user, or a fact of the log. */
  content: string
  sourceType: SourceType
  confidence: number
  /** First and last supporting event, by sequence. */
  from: number
  to: number
}

/** Maximum characters of a fact. */
const MAX_LENGTH = 400

/** A longer note is data: nothing of it is remembered. */
const MAX_NOTE = 20_000

/** Confidence of facts mentioned in passing. */
export const IMPLICIT_CONFIDENCE: Readonly<Record<MemoryCategory, number>> = {
  facts: 0.7,
  preferences: 0.7,
  skills: 0.7,
  rules: 0.8,
  context: 0.8,
}
const EXPLICIT_CONFIDENCE = 0.9

/**
 * Extracts facts from the events of one session by rules: deterministic, in log order, each once. A wrong memory is
 * worse than a missing one, so it skips everything not plainly stated: questions, quotes, code, text of others,
 * one-time requests, doubts, and also tool results, passwords and keys. English only.
 */
export function extractFacts(events: readonly SessionEvent[]): Fact[] {
  return complete(extractingFacts(events))
}

/** {@link extractFacts} in pieces: yields after each event. */
export function* extractingFacts(events: readonly SessionEvent[]): Generator<undefined, Fact[]> {
  const found = new Map<string, Fact>()
  const add = (fact: Fact) => {
    const content = truncateText(fact.content.replace(/\s+/gu, ' ').trim(), MAX_LENGTH)
    // checks the whole text: the cut-off part may reveal the secret
    if (content === '' || containsSecret(fact.content)) return
    const key = JSON.stringify([fact.category, content.toLowerCase()])
    const known = found.get(key)
    if (known !== undefined && (known.sourceType === 'explicit' || fact.sourceType !== 'explicit')) return
    found.delete(key)
    found.set(key, { ...fact, content })
  }
  let spoken: SessionEvent | undefined
  for (const event of events) {
    for (const fact of factsIn(event)) add(fact)
    yield
    if (!isSpoken(event)) continue
    const agreed = spoken && agreementOf(spoken, event)
    if (agreed !== undefined) add(contextFact(agreed.content, agreed.from, agreed.to))
    spoken = event
  }
  return [...found.values()]
}

/** Whether a message has text, not only calls. */
function isSpoken({ type, content }: SessionEvent): boolean {
  return (type === 'user_message' || type === 'model_message') && content.trim() !== ''
}

function factsIn(event: SessionEvent): Fact[] {
  switch (event.type) {
    case 'user_message':
      // a caller may store a tool's text under this type, with another role
      return event.role === 'user' ? statementsIn(event.content).flatMap((one) => factOf(one, event.sequence)) : []
    case 'validation_gate':
      return gateFact(event)
    case 'work_committed':
      return summarizeWork([event]).decisions.map((decision) => contextFact(decision, event.sequence))
    default:
      return []
  }
}

function factOf({ text, explicit, anything }: Statement, sequence: number): Fact[] {
  const category = categorize(text) ?? (anything ? 'facts' : undefined)
  if (category === undefined) return []
  const how = explicit
    ? { sourceType: 'explicit' as const, confidence: EXPLICIT_CONFIDENCE }
    : { sourceType: 'implicit' as const, confidence: IMPLICIT_CONFIDENCE[category] }
  return [{ category, content: text, ...how, from: sequence, to: sequence }]
}

/** Returns a passed gate that has a note; `noted: false` marks the default text. */
function gateFact({ content, parts, sequence }: SessionEvent): Fact[] {
  const { gate, passed, noted } = isObject(parts) ? parts : {}
  if (typeof gate !== 'number' || passed === false || noted === false) return []
  if (content.length > MAX_NOTE || content.trim() === '') return []
  return [contextFact(`Gate ${gate} passed: ${content}`, sequence)]
}

function contextFact(content: string, from: number, to = from): Fact {
  return { category: 'context', content, sourceType: 'implicit', confidence: IMPLICIT_CONFIDENCE.context, from, to }
}
