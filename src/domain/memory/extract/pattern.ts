import { LANGUAGE, LASTING, TECHNOLOGY } from './vocabulary.ts'

/** A pattern for the start of a sentence, and an exception. */
export interface Pattern {
  matches(sentence: string): boolean
  unless?: RegExp
}

/** Matches the start of a sentence, ignoring case. */
export function startsWith(...beginnings: string[]): Pattern['matches'] {
  // separate patterns without the flag u: all of them compile in 380 ms instead of 570
  const patterns = beginnings.map((beginning) => new RegExp(`^(?:${beginning.replaceAll(/\bI\b/g, 'i')})`))
  return (sentence) => {
    const text = sentence.toLowerCase()
    return patterns.some((pattern) => pattern.test(text))
  }
}

/** Matches the start of a sentence with case, which tells names from other words. */
export function startsWithCase(...alternatives: string[]): Pattern['matches'] {
  const pattern = new RegExp(`^(?:${alternatives.join('|')})`, 'u')
  return (sentence) => pattern.test(sentence)
}

/** Marks what is true only for now. */
export const TEMPORARY =
  /\b(?:for now|right now|just now|today|tonight|tomorrow|this (?:time|once|morning|afternoon|evening|week|month)|just (?:this )?once|for once|for the moment|temporarily|in this case|a (?:moment|minute|second) ago)\b/iu

/** Marks what is about the current work. */
export const CURRENT_WORK =
  /\b(?:this|these|those|here|yet|at the moment|currently)\b|\bthat (?:one|file|function|line|bug|idea|way|part)\b/iu

export const AM = "I(?:'m| am)"
export const HAVE_BEEN = "I(?:'ve| have) been"
export const DONT = "(?:don't|do not)"
export const VERY =
  '(?:(?:really|also|always|usually|generally|normally|typically|personally|definitely|strongly|much|particularly|especially|absolutely|truly|quite|do|still|mostly|often|simply|very|rather|pretty|somewhat|fairly|completely|totally|relatively|so|both|too|all|that) )*'
/** Up to four words in between. */
export const WORDS = String.raw`(?:(?!(?:of|in|at|for|to|that|who|with|like|than|and|the|my|your)\b)[^ ,;:]+ ){0,4}`
/** A technology or a language, in any case. */
export const KNOWN = String.raw`(?:${TECHNOLOGY}|${LANGUAGE})(?!\w)`
/** A capitalized word, for case-sensitive patterns. */
export const NAME = String.raw`\p{Lu}[\p{L}\d.'&-]*`
export const DAYS = '(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|weekdays?'
export const NUMBER = String.raw`(?:\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|many|several|over|about|almost|nearly|more)`
export const FOR_YEARS = String.raw`.*\b(?:for (?:the (?:last|past) )?${NUMBER}\b[\w ]{0,20}\b(?:years?|months|decades?)|since (?:\d{4}|I was|the|my))`

/** Objects that only make sense in the moment: something just shown, said or offered. */
export const SHOWN = String.raw`(?:\w+ing )?(?:it|its|it's|this|that|these|those|them|him|her|his|their|they|you|your|yours|how|what|where|when|why|who|option|both|either|neither|none|one|all|some of|to (?:say|think|admit|know|bother|break|ask|hear|see (?:you|that))|not(?: to)?$|to$)(?![\w'-])|[a-d]$|\d$|#|the (?!${LASTING})`

/** Objects of a request that refer to one specific thing. */
export const ONE_THING = String.raw`(?:the|this|that|it|them|these|those|my|me|him|her|a|an|one|any of|so much|too much)\b`
