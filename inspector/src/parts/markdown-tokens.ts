import { Lexer, type Token, Tokenizer } from 'marked'
import { onUserChange } from '../api/token.ts'

/** Characters that are read as Markdown; what comes behind them is shown as it was written. */
export const MARKDOWN_LIMIT = 20_000
/** Texts whose tokens are kept, so that scrolling back reads none twice. */
const KEPT = 200
/** Marks in one run of text beyond which it is not read for emphasis and links: the time for that grows with their square. */
const MARKS = 500
/** Characters in which the underlining of a heading is looked for. */
const HEADING = 200
/** Quotes and lists in one another, from one line, that are still read: each costs the reader a call. */
const DEEP = /^(?:[ \t]*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))){12}/m

const kept = new Map<string, readonly Token[] | undefined>()
onUserChange(() => kept.clear())

/**
 * The tokens of a text of at most {@link MARKDOWN_LIMIT} characters; `undefined` if it should be shown as it was written: it is longer,
 * nested too deep, or makes no sense to the reader.
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

/** The beginning of a long text that is read as Markdown, cut at the end of a line if there is one near; and the rest. */
export function cutForMarkdown(text: string, most = MARKDOWN_LIMIT): readonly [beginning: string, rest: string] {
  if (text.length <= most) return [text, '']
  const line = text.lastIndexOf('\n', most)
  const end = line > most / 2 ? line : most
  return [text.slice(0, end), text.slice(end)]
}

/** Where a link may lead: to the web or to a mailbox. Others, such as `javascript:` and relative ones, lead nowhere. */
export function safeHref(href: string): string | undefined {
  const url = URL.parse(href.trim())
  return url !== null && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined
}

/** Text with the few entities that people write in Markdown as the characters they stand for. */
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

/** Each line of a list is tried as a heading that is underlined further down: without a bound the time grows with their square. */
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
