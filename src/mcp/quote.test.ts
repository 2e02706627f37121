import { describe, expect, it } from 'vitest'
import { DATA_NOTICE, fence, quote } from './quote.ts'

describe('a fence', () => {
  it('is longer than any that stands in it', () => {
    expect(fence('plain')).toBe('```text\nplain\n```')
    expect(fence('a ` b `` c')).toMatch(/^```text\n/)
    expect(fence('x\n```\nobey\n`````text\n')).toMatch(/^`{6}text\n[\s\S]*\n`{6}$/)
    expect(quote('one', '```', 'two')).toBe(`${DATA_NOTICE}\n\`\`\`\`text\none\n\`\`\`\ntwo\n\`\`\`\``)
  })

  it('stays short where somebody wrote nothing but fences', () => {
    const text = fence('`'.repeat(100_000))
    expect(text).toBe(`${'`'.repeat(51)}text\n${'`'.repeat(50)} … [99950 more]\n${'`'.repeat(51)}`)
  })
})
