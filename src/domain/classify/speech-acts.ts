import { type Clause, wordsOf } from './clauses.ts'
import {
  ADDITION,
  CHANGING,
  CORRECTION,
  NAMED_SHELVE,
  NAMED_STOP,
  OPENING_NO,
  OPENING_YES,
  OWN,
  OWN_CHOICE,
  PATTERNS,
  POLITE,
  POSITIVE,
  QUESTION,
  REQUESTING,
  type SpeechActKind,
  TURN_WITHIN,
} from './patterns.ts'
import {
  ANAPHORA,
  ASSENT,
  CHANGE,
  COMPANIONS,
  CREATING,
  EDITING,
  FILLER,
  GLUE,
  HESITATION,
  hasContent,
  NEGATION,
  PRAISE,
  REFUSAL,
  SMILES,
  stem,
  THANKS,
} from './words.ts'

/** What a clause does, and its features. */
export interface SpeechAct {
  kind: SpeechActKind
  words: readonly string[]
  text: string
  /** Starts with "but", "except" or similar. */
  contrast: boolean
  /** "also", "too", "one more thing", "first": adds to the current work. */
  addition: boolean
  /** "should", "wrong", "you …": corrects the work. */
  correction: boolean
  /** "instead of", "change …", "update …": requests a change. */
  changing: boolean
  negative: boolean
  /** "now …", "next …": comes after the current work. */
  sequence: boolean
  /** Requests new work, like "write a …". */
  creating: boolean
  /** Shares a word with the topic or refers back to it. */
  onTopic: boolean
  /** On topic, or about something that belongs to any work, like tests. */
  related: boolean
  /** Number of content words. */
  content: number
}

/** Word stems of a session's topic. */
export type Topic = ReadonlySet<string>

export function topicOf(...texts: readonly string[]): Topic {
  return new Set(texts.flatMap(wordsOf).filter(hasContent).map(stem))
}

/** Whether one of the words belongs to the topic. */
export function isAbout(words: readonly string[], topic: Topic): boolean {
  return words.some((word) => hasContent(word) && topic.has(stem(word)))
}

/** Returns the acts of a clause: one, or two as in "ok fix it". */
export function speechActsOf({ words, asked, contrast }: Clause, topic: Topic): SpeechAct[] {
  const text = words.join(' ')
  const opening = OPENING_NO.test(text) ? 'refuse' : OPENING_YES.test(text) ? 'assent' : undefined
  if (opening === undefined || isApproving(words)) return [speechActOf(words, asked, contrast, topic)]
  const first = { ...speechActOf(words.slice(0, 1), false, contrast, topic), kind: opening } as const
  return [first, speechActOf(words.slice(1), asked, false, topic)]
}

function speechActOf(words: readonly string[], asked: boolean, contrast: boolean, topic: Topic): SpeechAct {
  const text = words.join(' ')
  const request = strip(text, REQUESTING)
  const verb = request.split(' ', 1)[0] ?? ''
  const content = words.filter((word) => hasContent(word) && word !== verb)
  const onTopic = isAbout(content, topic) || pointsBack(words)
  return {
    kind: kindOf({ words, text, bare: strip(text, POLITE), request, verb, asked, topic }),
    words,
    text,
    contrast,
    addition: ADDITION.test(text),
    correction: CORRECTION.test(text) && !OWN_CHOICE.test(text),
    changing: CHANGE.has(verb) || CHANGING.test(text),
    negative: includesAny(words, NEGATION),
    sequence: /^(?:and |so |ok |then )?(?:now|next) /u.test(text),
    creating: CREATING.has(verb),
    onTopic,
    related: onTopic || includesAny(content, COMPANIONS),
    content: content.length,
  }
}

interface ClauseForms {
  words: readonly string[]
  text: string
  /** Without its polite opening. */
  bare: string
  /** Without what opens a request. */
  request: string
  /** First word of the request. */
  verb: string
  asked: boolean
  topic: Topic
}

/** Checks in order: closed vocabulary, patterns of a whole clause, first words. */
function kindOf({ words, text, bare, request, verb, asked, topic }: ClauseForms): SpeechActKind {
  if (isOnly(words, REFUSAL)) return 'refuse'
  if (isOnly(words, HESITATION)) return 'hesitate'
  if (!asked && isApproving(words)) {
    if (isOnly(words, ASSENT)) return 'assent'
    return includesAny(words, PRAISE) || !includesAny(words, THANKS) ? 'approve' : 'thank'
  }
  if (asked && isOnly(words, ASSENT, HESITATION)) return 'hesitate'
  if (isOnly(words, FILLER, HESITATION, SMILES)) return 'fill'

  const form = PATTERNS.find(([, pattern]) => pattern.test(bare) || pattern.test(text))?.[0]
  // "can you stop?" is a question in form only
  if (form === 'turn' || (form === 'stop' && bare !== text)) return form
  if (form !== undefined) return asked ? 'ask' : form

  if (isNamed(NAMED_STOP, bare, topic)) return 'stop'
  if (isNamed(NAMED_SHELVE, bare, topic)) return 'shelve'
  if (TURN_WITHIN.test(bare)) return 'turn'
  if (OWN.test(text) && !includesAny(words, NEGATION)) return 'own'
  if (EDITING.has(verb) || CREATING.has(verb)) return 'request'
  if (asked || QUESTION.test(bare)) return 'ask'
  if (isPositive(text, words)) return 'approve'
  return request === text || request === bare ? 'state' : 'request'
}

function isOnly(list: readonly string[], ...sets: readonly ReadonlySet<string>[]): boolean {
  return list.every((word) => sets.some((set) => set.has(word)))
}

function includesAny(list: readonly string[], set: ReadonlySet<string>): boolean {
  return list.some((word) => set.has(word))
}

/** Whether the clause consists of praise, thanks and assent only. */
function isApproving(words: readonly string[]): boolean {
  if (!isOnly(words, PRAISE, THANKS, ASSENT, GLUE, SMILES)) return false
  return words.some((word) => PRAISE.has(word) || THANKS.has(word) || ASSENT.has(word))
}

function isPositive(text: string, words: readonly string[]): boolean {
  const [, last] = POSITIVE.exec(text) ?? []
  return last !== undefined && !includesAny(words, NEGATION) && (last === '' || PRAISE.has(last) || ASSENT.has(last))
}

/** Whether the object of the clause is the task itself. */
function isNamed(pattern: RegExp, text: string, topic: Topic): boolean {
  const object = pattern.exec(text)?.[1]?.split(' ')
  if (object === undefined || object.length > 5) return false
  const content = object.filter((word) => hasContent(word) && word !== 'planning')
  return content.length > 0 && content.every((word) => topic.has(stem(word)))
}

/** Matches "it" and a final "that", but neither "this menu" nor "a script that renames". */
function pointsBack(words: readonly string[]): boolean {
  return words.some((word, i) => {
    if (!ANAPHORA.has(word)) return false
    if (!/^th(?:is|at|ese|ose)$/u.test(word)) return true
    const next = words[i + 1]
    return next === undefined || !hasContent(next)
  })
}

/** Removes up to six openings; the limit bounds the work. */
function strip(text: string, opening: RegExp): string {
  let rest = text
  for (let i = 0; i < 6 && opening.test(rest); i++) rest = rest.replace(opening, '')
  return rest
}
