import { isObject, type Json, type JsonObject } from '../json.ts'
import type { CountTokens } from '../window.ts'

/** How much of a text is shown, and its tokens. */
export interface Cut {
  readonly tokens: number
  /** Characters of head and tail together; absent if the text is shown whole. */
  readonly characters?: number
  /** The arguments are not shortened inside but as one text. */
  readonly asText?: true
}

/** Characters per token to begin with; code and JSON have fewer. */
const CHARACTERS = 4
/** Each attempt aims a little below the limit. */
const MARGIN = 0.95
const ATTEMPTS = 5
/** Arguments beyond this length are not parsed: 8 MB took 0.1 s. */
const LONGEST_PARSED = 256 * 1024
/** Deeper arguments are shortened as one text. */
const DEPTH = 20

/** Decides how a text fits into `limit` tokens; `undefined` if not even its shortest form does. */
export async function cutText(text: string, limit: number, count: CountTokens): Promise<Cut | undefined> {
  const tokens = await count(text, limit)
  return tokens <= limit ? { tokens } : await search(text, limit, count, (cut) => applyCut(text, cut))
}

/** Decides how the arguments of a call fit: they stay JSON, and texts inside lose their middle. */
export async function cutArguments(text: string, limit: number, count: CountTokens): Promise<Cut | undefined> {
  const tokens = await count(text, limit)
  if (tokens <= limit) return { tokens }
  const inside = await search(text, limit, count, (cut) => applyArgumentsCut(text, cut))
  if (inside !== undefined) return inside
  const whole = await search(text, limit, count, (cut) => applyArgumentsCut(text, { ...cut, asText: true }))
  return whole && { ...whole, asText: true }
}

/** The text, or its head and tail with a mark between them. */
export function applyCut(text: string, { characters }: Cut): string {
  if (characters === undefined) return text
  const half = Math.floor(characters / 2)
  const head = text.slice(0, isInsidePair(text, half) ? half - 1 : half)
  const from = text.length - half
  const tail = text.slice(isInsidePair(text, from) ? from + 1 : from)
  const omitted = text.length - head.length - tail.length
  return omitted <= 0 ? text : `${head}\n[… ${omitted.toLocaleString('en')} characters omitted …]\n${tail}`
}

/** The arguments with their long texts cut to a common length, else as one text in an object. */
export function applyArgumentsCut(text: string, { tokens, characters, asText }: Cut): string {
  if (characters === undefined) return text
  const value = asText || text.length > LONGEST_PARSED ? undefined : parseObject(text)
  if (value === undefined) return JSON.stringify({ shortened: applyCut(text, { tokens, characters }) })
  const each = commonLength(textsIn(value), characters)
  return JSON.stringify(mapTexts(value, (inner) => applyCut(inner, { tokens, characters: each })))
}

/** Looks for the number of characters that fills the limit. */
async function search(
  text: string,
  limit: number,
  count: CountTokens,
  apply: (cut: Cut) => string,
): Promise<Cut | undefined> {
  let characters = Math.min(text.length, limit * CHARACTERS)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const tokens = await count(apply({ tokens: 0, characters }), limit * CHARACTERS)
    if (tokens <= limit) return { tokens, characters }
    characters = Math.floor((characters * MARGIN * limit) / tokens)
  }
  return undefined
}

/** Whether a cut at this place would separate a surrogate pair. */
function isInsidePair(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return at > 0 && at < text.length && code >= 0xdc00 && code <= 0xdfff
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json
    return isObject(value) && !isDeeper(value, DEPTH) ? value : undefined
  } catch {
    return undefined
  }
}

/** The length to which texts are cut, so that together they have `characters`: short ones stay whole. */
function commonLength(texts: readonly string[], characters: number): number {
  let left = characters
  const lengths = texts.map(({ length }) => length).toSorted((a, b) => a - b)
  for (const [place, length] of lengths.entries()) {
    const each = Math.floor(left / (lengths.length - place))
    if (length > each) return each
    left -= length
  }
  return Number.POSITIVE_INFINITY
}

function isDeeper(value: Json, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1))
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  return typeof value !== 'object' || value === null ? [] : Object.values(value).flatMap(textsIn)
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, change))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change)]))
}
