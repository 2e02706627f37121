import { describe, expect, it } from 'vitest'
import { cutForMarkdown, MARKDOWN_LIMIT, safeHref, tokensOf, withEntities } from './markdown-tokens.ts'

describe('Markdown', () => {
  it('is parsed into tokens once for each text', () => {
    const text = '# Title\n\nSome *text* with `code`.\n\n- [x] done\n- [ ] open\n'
    const tokens = tokensOf(text)
    expect(tokens?.map(({ type }) => type).filter((type) => type !== 'space')).toEqual(['heading', 'paragraph', 'list'])
    expect(tokensOf(text)).toBe(tokens)
  })

  it('that is nested too deep or too long is left as plain text', () => {
    for (const mark of ['>', '> ', '- ', '1. ', '> - ']) expect(tokensOf(`${mark.repeat(5000)}a`), mark).toBeUndefined()
    expect(tokensOf(`${'> '.repeat(5)}a`)).toBeDefined()
    expect(tokensOf('a'.repeat(MARKDOWN_LIMIT + 1))).toBeUndefined()
  })

  it('made to be slow is not parsed for emphasis and links', () => {
    const plain = (text: string) => tokensOf(text)?.flatMap((token) => ('tokens' in token && token.tokens) || [])
    for (const mark of ['[', '![', '*', '_', '_a', '*a _b ', '**a ', '`', '[a](', '~', '[[]()]']) {
      const text = mark.repeat(MARKDOWN_LIMIT / mark.length)
      expect(new Set(plain(`a ${text.slice(0, -2)}`)?.map(({ type }) => type)), mark).toEqual(new Set(['text']))
    }
    expect(plain('a *b*')?.map(({ type }) => type)).toEqual(['text', 'em'])
  })

  it('has no multi-line heading: every line of a list would be read to its end', () => {
    const types = (text: string) => tokensOf(text)?.map(({ type }) => type)
    expect(types('a\nb\n===\n')).toEqual(['heading'])
    expect(types(`${'a\n'.repeat(1000)}===\n`)).toEqual(['paragraph'])
  })

  it('is cut at the end of a line, if one is near', () => {
    expect(cutForMarkdown('short')).toEqual(['short', ''])
    expect(cutForMarkdown('first line\nsecond line', 14)).toEqual(['first line', '\nsecond line'])
    expect(cutForMarkdown('a\nlong second line', 10)).toEqual(['a\nlong sec', 'ond line'])
  })

  it('links only to web and mail addresses', () => {
    expect(safeHref('https://example.org/a')).toBe('https://example.org/a')
    expect(safeHref('HTTP://example.org')).toBe('http://example.org/')
    expect(safeHref('mailto:a@example.org')).toBe('mailto:a@example.org')
    for (const href of [
      'javascript:alert(1)',
      ' java\nscript:alert(1)',
      'data:text/html,x',
      'file:///etc',
      '/v1',
      '#x',
      '',
    ]) {
      expect(safeHref(href), href).toBeUndefined()
    }
  })

  it('decodes entities', () => {
    expect(withEntities('a &lt; b &amp;&amp; c &quot;d&quot; &copy; &amp;lt;')).toBe('a < b && c "d" &copy; &lt;')
  })
})
