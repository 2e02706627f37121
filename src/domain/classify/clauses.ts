import { proseOf } from '../prose.ts'
import { CREATING, EDITING, words } from './words.ts'

/** The words between two punctuation marks, or one emoji. */
export interface Clause {
  /** Lower case, without apostrophes. */
  words: string[]
  /** Ends in a question mark. */
  asked: boolean
  /** Starts with "but", "except" or similar. */
  contrast: boolean
}

/** A message split into clauses. */
export interface ParsedMessage {
  clauses: Clause[]
  /** Every word as written. */
  tokens: string[]
  hasCode: boolean
}

/** Characters read of a message, half of them from its end. */
const MAX_LENGTH = 8000

const TOKEN =
  /`[^`\n]*`|[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’_./@+-][\p{L}\p{N}\p{M}]+)*|\p{Extended_Pictographic}|[.,;:!?…\n()–—-]/gu
const WORD = /^[\p{L}\p{N}]/u
const EMOJI = /^\p{Extended_Pictographic}/u

const CONTRAST = words('but however except though although yet unless')
const JOINT = words('and then so')
/** After "and" these start a new clause. */
const STARTER = new Set([...CREATING, ...EDITING, ...words('also please instead we i you close')])
const SPELLING: Readonly<Record<string, string>> = {
  u: 'you',
  ur: 'your',
  pls: 'please',
  plz: 'please',
  nvm: 'nevermind',
  rn: 'now',
  tbh: 'honestly',
}

/** Splits a message into clauses. Skips fenced code; code in backticks counts as one word. */
export function parseMessage(message: string): ParsedMessage {
  const { prose, hasCode: isFenced } = proseOf(message, MAX_LENGTH)

  // "we'll" and "we're" would read as "well" and "were"
  const marks =
    prose
      .replace(/['’]ll\b/giu, ' will')
      .replace(/\bwe['’]re\b/giu, 'we are')
      .match(TOKEN) ?? []
  const clauses: Clause[] = []
  const tokens: string[] = []
  let hasCode = isFenced
  let open: Clause = { words: [], asked: false, contrast: false }
  const close = (contrast = false) => {
    if (open.words.length > 0 || open.contrast) clauses.push(open)
    open = { words: [], asked: false, contrast }
  }

  marks.forEach((mark, i) => {
    if (mark.startsWith('`')) {
      hasCode = true
      open.words.push('`')
    } else if (WORD.test(mark)) {
      const word = normalizeSpelling(mark)
      tokens.push(mark)
      if (CONTRAST.has(word)) close(true)
      else if (JOINT.has(word) && open.words.length > 0 && STARTER.has(normalizeSpelling(marks[i + 1] ?? ''))) close()
      else open.words.push(word)
    } else if (EMOJI.test(mark)) {
      close()
      open.words.push(mark)
      close()
    } else {
      open.asked ||= mark === '?'
      close()
    }
  })
  close()
  return { clauses, tokens, hasCode }
}

function normalizeSpelling(token: string): string {
  const word = token.toLowerCase().replace(/['’]/g, '')
  return Object.hasOwn(SPELLING, word) ? (SPELLING[word] ?? word) : word
}

/** Returns the words of a text in lower case, without apostrophes. */
export function wordsOf(text: string): string[] {
  return parseMessage(text).clauses.flatMap((clause) => clause.words)
}
