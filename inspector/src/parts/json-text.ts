import type { Json } from '../api/types.ts'
import { shortJson } from './short-json.ts'

/** Depth beyond which a text is not indented: it would be mostly spaces. */
const DEEPEST = 100
/** Characters shown of a value that is too deep for `JSON.stringify`. */
const BEGINNING = 2000

/** The value as indented JSON; if it is too deep, its start on one line. */
export function formatJson(value: Json | object): string {
  try {
    return JSON.stringify(value, null, 2)
  } catch {
    return shortJson(value as Json, BEGINNING)
  }
}

/**
 * Indents JSON text of a list or an object. Changes only whitespace: numbers, keys and escapes stay as written.
 * `undefined` if the text is neither, or too deep.
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
