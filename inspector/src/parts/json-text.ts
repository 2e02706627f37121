import type { Json } from '../api/types.ts'
import { shortJson } from './short-json.ts'

/** Levels of a text beyond which it is not indented: the blanks would soon be more than the text. */
const DEEPEST = 100
/** Characters that are shown of a value that is too deep to be written. */
const BEGINNING = 2000

/** The value as indented JSON; of one that is too deep for that the beginning, on one line. */
export function formatJson(value: Json | object): string {
  try {
    return JSON.stringify(value, null, 2)
  } catch {
    return shortJson(value as Json, BEGINNING)
  }
}

/**
 * A list or an object that came as text, indented. Nothing but its blanks is changed: numbers, keys and escapes stay as they were
 * written. `undefined` if it is neither, or too deep.
 */
export function indentJson(text: string): string | undefined {
  if (!isListOrObject(text)) return undefined
  let out = ''
  let depth = 0
  let before = ''
  for (const [token] of text.matchAll(TOKENS)) {
    const isEnd = token === ']' || token === '}'
    if (isEnd) depth--
    const isOpened = before === '[' || before === '{'
    if (isEnd ? !isOpened : isOpened || before === ',') out += `\n${'  '.repeat(depth)}`
    out += token === ':' ? ': ' : token
    if (token === '[' || token === '{') depth++
    if (depth > DEEPEST) return undefined
    before = token
  }
  return out
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g

function isListOrObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}
