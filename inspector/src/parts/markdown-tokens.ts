import { Lexer, type Token, Tokenizer } from 'marked'
import { onUserChange } from '../api/token.ts'

/** Characters that are parsed as Markdown; the rest is shown as plain text. */
export const MARKDOWN_LIMIT = 20_000
/** Texts whose tokens are cached, so that scrolling back parses nothing twice. */
const KEPT = 200
/** Marks in one run of text beyond which it is not parsed for emphasis and links: the time grows quadratically. */
const MARKS = 500
/** Characters in which a heading's underline is looked for. */
const HEADING = 200
/** Nested quotes and lists on one line that are not parsed: each level costs a recursive call. */
const DEEP = /^(?:[ \t]*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))){12}/m

const kept = new Map<string, readonly Token[] | undefined>()
onUserChange(() => kept.clear())

/**
 * The tokens of a text of at most {@link MARKDOWN_LIMIT} characters; `undefined` if it has to be shown as plain text:
 * it is longer, nested too deep, or cannot be parsed.
 */
export function tokensOf(text: string): readonly Token[] | undefined {
  if (text.length > MARKDOWN_LIMIT) return undefined
  if (kept.has(text)) return kept.get(text)
  const tokens = read(text)
  kept.set(text, tokens)
  const [oldest] = kept.keys()
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
  return tokens
}

/** Splits a long text into the part to parse, cut at the end of a line if one is near, and the rest. */
export function cutForMarkdown(text: string, most = MARKDOWN_LIMIT): readonly [beginning: string, rest: string] {
  if (text.length <= most) return [text, '']
  const line = text.lastIndexOf('\n', most)
  const end = line > most / 2 ? line : most
  return [text.slice(0, end), text.slice(end)]
}

/** The target of a web or mail link; `undefined` for others, such as `javascript:` and relative ones. */
export function safeHref(href: string): string | undefined {
  const url = URL.parse(href.trim())
  return url !== null && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined
}

/** Decodes the few HTML entities that people write in Markdown. */
export function withEntities(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
}

function read(text: string): readonly Token[] | undefined {
  if (DEEP.test(text)) return undefined
  try {
    const lexer = new Lexer({ gfm: true, tokenizer: new BoundedTokenizer() })
    lexer.blockTokens(text.replace(/\r\n?/g, '\n'), lexer.tokens)
    for (const { src, tokens } of lexer.inlineQueue) {
      if (marksIn(src) > MARKS) tokens.push({ type: 'text', raw: src, text: src, escaped: false })
      else lexer.inlineTokens(src, tokens)
    }
    return lexer.tokens
  } catch {
    return undefined
  }
}

/** Every line of a list is tried as an underlined heading: without a bound the time grows quadratically. */
class BoundedTokenizer extends Tokenizer {
  override lheading(text: string) {
    return super.lheading(text.slice(0, HEADING))
  }
}

function marksIn(text: string): number {
  let marks = 0
  for (let i = 0; i < text.length; i++) if (MARK.has(text.charCodeAt(i))) marks++
  return marks
}

const MARK: ReadonlySet<number> = new Set([...'[]()!*_`<~@:\\'].map((mark) => mark.charCodeAt(0)))
