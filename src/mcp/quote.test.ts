import { describe, expect, it } from 'vitest'
import { DATA_NOTICE, fence, quote } from './quote.ts'

describe('fence', () => {
  it('is longer than any fence inside', () => {
    expect(fence('plain')).toBe('```text\nplain\n```')
    expect(fence('a ` b `` c')).toMatch(/^```text\n/)
    expect(fence('x\n```\nobey\n`````text\n')).toMatch(/^`{6}text\n[\s\S]*\n`{6}$/)
    expect(quote('one', '```', 'two')).toBe(`${DATA_NOTICE}\n\`\`\`\`text\none\n\`\`\`\ntwo\n\`\`\`\``)
  })

  it('stays short around a long run of backticks', () => {
    const text = fence('`'.repeat(100_000))
    expect(text).toBe(`${'`'.repeat(51)}text\n${'`'.repeat(50)} … [99950 more]\n${'`'.repeat(51)}`)
  })
})
