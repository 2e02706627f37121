import { proseOf } from '../../prose.ts'
import { DATA_LINE, FICTION, HEDGE, HYPOTHESIS, INTRODUCTION, LEAD_IN, OTHERS_TEXT } from './lead-ins.ts'

/** A statement by the user. */
export interface Statement {
  /** In the user's words, on one line, without greetings, politeness and the last full stop. */
  text: string
  /** The user asked to remember it. */
  explicit: boolean
  /** Remember it whatever its category. */
  anything: boolean
}

/** Characters read of a message, half of them from its end. */
const MAX_LENGTH = 20_000

/** A longer sentence is data. */
const MAX_SENTENCE = 1000

/** Replaces quotations; sentences that contain it are skipped. */
const HIDDEN = '\uFFFC'

/**
 * Returns the statements of a message, sentence by sentence: no questions, quotes, code, pasted data, text of others or
 * fiction. Leaves out doubtful cases.
 */
export function statementsIn(message: string): Statement[] {
  const found: Statement[] = []
  for (const line of ownLines(message)) {
    for (const sentence of sentencesIn(line)) {
      if (OTHERS_TEXT.test(sentence)) return []
      if (FICTION.test(sentence)) return found
      const statement = statementOf(sentence)
      if (statement !== undefined) found.push(statement)
      // "Reply to him: I live in Rome. I work there." is a letter up to the end of the line
      if (/:(?:\s|$)/.test(statement?.text ?? withoutLeadIns(sentence))) break
    }
  }
  return found
}

function ownLines(message: string): string[] {
  const { prose } = proseOf(message, MAX_LENGTH)
  const lines: string[] = []
  // the cut may have split a surrogate pair
  for (const line of withoutQuotes(prose.toWellFormed().replaceAll('’', "'")).split(/\r\n|[\n\r\u2028\u2029]/u)) {
    // four spaces or a tab indent code
    if (/^\s*>|^(?: {4}|\t)/.test(line) || DATA_LINE.test(line)) continue
    const text = line
      .replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/u, '')
      .replace(/\s+/gu, ' ')
      .trim()
    // the rest is someone else's text, unless the user introduces it as their own
    if (text.endsWith(':') && !INTRODUCTION.test(text)) break
    lines.push(text)
  }
  return lines
}

const QUOTATIONS = [
  /"[^"]*"/gu,
  /“[^“”]*”/gu,
  /«[^«»]*»/gu,
  /(?<![\p{L}\p{N}])'[^'\n]*(?:\p{L}'\p{L}[^'\n]*)*'(?!\p{L})/gu,
]

/** Hides quotations of several words; a quoted name stays. */
function withoutQuotes(text: string): string {
  return QUOTATIONS.reduce((rest, marks) => rest.replace(marks, (quote) => (/\s/u.test(quote) ? HIDDEN : quote)), text)
}

/** The end of a sentence: a mark before a space, unless it belongs to a short form or an initial. */
const END = /(?=\s)(?<=[.!?…])(?<!\b(?:e\.g|i\.e|vs|approx|Dr|Mr|Mrs|Ms|St|No|[A-Z])\.)\s+|(?<=;)\s+/u

function sentencesIn(line: string): string[] {
  return line.split(END).filter(({ length }) => length > 0 && length <= MAX_SENTENCE)
}

/** "I'm vegan, what can I eat?" states something before it asks. */
const ASKED_AFTER =
  /^(.+?)\s*(?:[,;–—]|\s-)\s*(?:(?:so|and|but|now)\s+)?(?:can|could|would|will|do|does|did|is|are|should|what|which|where|when|how|who|why|any)\b[^?]*\?+$/iu
const ASKED_TO_REMEMBER =
  /^(?:can|could|would|will) you (?:please )?(?=(?:remember|keep in mind|bear in mind|make a note) that\b)/iu

/** "I'm new to Kubernetes, so explain it slowly" states something before it wants something. */
const WANTED_AFTER = /, so (?:please|can|could|let's|find|explain|suggest|give|show|tell|make|keep|use|don't)\b.*$/iu

/** Explicit requests to remember, whatever the category. */
const REMEMBER =
  /^(?:(?:always )?remember(?: that\b|:)|for the record[,:]?|(?:make|take) a note(?: that\b|:)|don't(?: ever)? forget(?: that\b|:)|never forget that\b|note to self[,:]|(?:save|add|store|put) (?:this |that )?(?:to|in) (?:your )?memory(?: that\b|:)|memori[sz]e(?: that\b|:))\s*/iu
/** Requests to remember that may be only a hint for the current work. */
const KEEP_IN_MIND =
  /^(?:(?:keep|bear) in mind(?: that\b|:|,)?|(?:always )?remember(?:,| to(?= (?:always|never)\b)|(?= (?:I|I'm|my|our|we|always|never)\b)))\s*/iu
/** "I'm vegan, remember that." */
const REMEMBER_AFTER =
  /\s*(?:[,;–—]|\s-)\s*(?:and )?(?:please )?(?:remember (?:that|this)|keep (?:that|this) in mind|don't forget(?: that| this)?)$/iu
/** "Remember that time in Rome" recalls something and states nothing. */
const RECALLED =
  /^(?:time|day|night|one|bug|error|issue|file|thing|guy|meeting|conversation|story|place|song|what|when|where|how|who|why)\b/iu
/** Pronouns that refer to something outside the sentence. */
const POINTS_ELSEWHERE =
  /^(?:it|it's|this|that|that's|these|those|they|they're|he|he's|she|she's|you|you're|there|here)\b/iu

function statementOf(sentence: string): Statement | undefined {
  let text = withoutLeadIns(sentence)
  const request = text.replace(ASKED_TO_REMEMBER, '')
  if (request !== text) text = request.replace(/\?+$/u, '')
  if (text.endsWith('?')) text = ASKED_AFTER.exec(text)?.[1] ?? ''
  text = withoutEnd(text)
  const after = text.replace(REMEMBER_AFTER, '')
  const remembered = after === text ? text.replace(REMEMBER, '') : after
  const kept = remembered.replace(KEEP_IN_MIND, '')
  const explicit = kept !== text
  const stated = explicit ? withoutLeadIns(kept) : reasonIn(text).replace(WANTED_AFTER, '')
  if (!/\s/u.test(stated) || stated.includes(HIDDEN) || HYPOTHESIS.test(stated)) return undefined
  if (explicit ? RECALLED.test(stated) || POINTS_ELSEWHERE.test(stated) : HEDGE.test(stated)) return undefined
  return { text: stated, explicit, anything: remembered !== text }
}

/** "Since I'm left-handed, suggest …" starts with a reason. */
function reasonIn(text: string): string {
  const reason = /^(?:since|because|as|given that|seeing that) (?=I\b|I'm\b|my\b|we\b|our\b)([^,]+),/iu.exec(text)
  return reason?.[1] ?? text
}

function withoutLeadIns(text: string): string {
  let rest = text
  for (let before = ''; before !== rest; ) {
    before = rest
    rest = rest.replace(LEAD_IN, '')
  }
  return rest
}

const MARKS_AFTER = /(?:[\s.!…,;]|\p{Extended_Pictographic}|\uFE0F|[:;]-?[)D])+$/u
/** "I like tea, by the way" */
const ASIDE_AFTER =
  /\s*[,–—]\s*(?:(?:just )?(?:so you(?:'re aware| know)|for your information)|fyi|btw|by the way|thanks|thank you|please|ok|okay)$/iu

function withoutEnd(text: string): string {
  return text.replace(MARKS_AFTER, '').replace(ASIDE_AFTER, '')
}
