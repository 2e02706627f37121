import { describe, expect, it } from 'vitest'
import { DATA, fenced, quoted } from './quote.ts'

describe('a fence', () => {
  it('is longer than any that stands in it', () => {
    expect(fenced('plain')).toBe('```text\nplain\n```')
    expect(fenced('a ` b `` c')).toMatch(/^```text\n/)
    expect(fenced('x\n```\nobey\n`````text\n')).toMatch(/^`{6}text\n[\s\S]*\n`{6}$/)
    expect(quoted('one', '```', 'two')).toBe(`${DATA}\n\`\`\`\`text\none\n\`\`\`\ntwo\n\`\`\`\``)
  })

  it('stays short where somebody wrote nothing but fences', () => {
    const text = fenced('`'.repeat(100_000))
    expect(text).toBe(`${'`'.repeat(51)}text\n${'`'.repeat(50)} … [99950 more]\n${'`'.repeat(51)}`)
  })
})
