import type { SessionEvent } from '../event.ts'
import { shortened } from '../graph.ts'
import { isObject } from '../json.ts'
import { workOf } from '../work.ts'
import { agreementOf } from './extract/agreement.ts'
import { categoryOf } from './extract/judge.ts'
import { holdsSecret } from './extract/secret.ts'
import { type Statement, statementsIn } from './extract/statements.ts'
import type { MemoryCategory } from './memory.ts'
import type { SourceType } from './source.ts'

/** Something worth remembering, and the events that say so. */
export interface Fact {
  category: MemoryCategory
  /** A sentence of the user's own, or what the log has on record. */
  content: string
  sourceType: SourceType
  confidence: number
  /** First and last event it rests on, by sequence. */
  from: number
  to: number
}

/** Characters of a fact's content. */
const LONGEST = 400

/** How far what was said in passing is believed. */
export const IMPLICIT: Readonly<Record<MemoryCategory, number>> = {
  facts: 0.7,
  preferences: 0.7,
  skills: 0.7,
  rules: 0.8,
  context: 0.8,
}
const EXPLICIT = 0.9

/**
 * What the events of one session give to remember, by rules alone: the same each time, in the order of the log, nothing
 * twice. A wrong memory is worse than a missing one, so what is not plainly said is left out: questions, quotes, code, what
 * others said, wishes for once, doubts. English only. Tool results give nothing, and neither do passwords and keys.
 */
export function extractFacts(events: readonly SessionEvent[]): Fact[] {
  const found = new Map<string, Fact>()
  const add = (fact: Fact) => {
    const content = shortened(fact.content.replace(/\s+/gu, ' ').trim(), LONGEST)
    // the whole text is looked at: what is cut off may say what the rest is
    if (content === '' || holdsSecret(fact.content)) return
    const key = JSON.stringify([fact.category, content.toLowerCase()])
    const known = found.get(key)
    if (known !== undefined && (known.sourceType === 'explicit' || fact.sourceType !== 'explicit')) return
    found.delete(key)
    found.set(key, { ...fact, content })
  }
  let spoken: SessionEvent | undefined
  for (const event of events) {
    for (const fact of factsIn(event)) add(fact)
    if (!isSpoken(event)) continue
    const agreed = spoken && agreementOf(spoken, event)
    if (agreed !== undefined) add(recorded(agreed.content, agreed.from, agreed.to))
    spoken = event
  }
  return [...found.values()]
}

/** A message with words of its own, not only with calls. */
function isSpoken({ type, content }: SessionEvent): boolean {
  return (type === 'user_message' || type === 'model_message') && content.trim() !== ''
}

function factsIn(event: SessionEvent): Fact[] {
  switch (event.type) {
    case 'user_message':
      // a caller may put a tool's words under this type, but then says so by the role
      return event.role === 'user' ? statementsIn(event.content).flatMap((one) => factOf(one, event.sequence)) : []
    case 'validation_gate':
      return gateIn(event)
    case 'work_committed':
      return workOf([event]).decisions.map((decision) => recorded(decision, event.sequence))
    default:
      return []
  }
}

function factOf({ text, explicit, anything }: Statement, sequence: number): Fact[] {
  const category = categoryOf(text) ?? (anything ? 'facts' : undefined)
  if (category === undefined) return []
  const how = explicit
    ? { sourceType: 'explicit' as const, confidence: EXPLICIT }
    : { sourceType: 'implicit' as const, confidence: IMPLICIT[category] }
  return [{ category, content: text, ...how, from: sequence, to: sequence }]
}

/** A gate that was passed, if somebody noted what that means. */
function gateIn({ content, parts, sequence }: SessionEvent): Fact[] {
  const { gate, passed } = isObject(parts) ? parts : {}
  if (typeof gate !== 'number' || passed === false || content.trim() === '' || content === `Gate ${gate} passed`)
    return []
  return [recorded(`Gate ${gate} passed: ${content}`, sequence)]
}

function recorded(content: string, from: number, to = from): Fact {
  return { category: 'context', content, sourceType: 'implicit', confidence: IMPLICIT.context, from, to }
}
