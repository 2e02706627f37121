import { describe, expect, it } from 'vitest'
import type { Json } from '../../api/types.ts'
import { brief } from './brief.ts'

describe('a value in brief', () => {
  it('is a text as it is, and anything else much like JSON', () => {
    expect(brief('a\nb')).toBe('a\nb')
    expect(brief({ path: 'a.ts', lines: [1, 2], deep: { a: null } })).toBe(
      '{ path: "a.ts", lines: [1, 2], deep: { a: null } }',
    )
    expect(brief(undefined)).toBe('')
    expect(brief(true)).toBe('true')
  })

  it('is short, however large the value is', () => {
    const large = Array.from({ length: 1_000_000 }, (_, i) => i)
    let deep: Json = 'x'
    for (let i = 0; i < 100; i++) deep = [deep]
    for (const value of [large, { large }, 'x'.repeat(8_000_000), { text: 'x'.repeat(8_000_000) }, deep] as Json[]) {
      expect(brief(value, 50).length).toBeLessThan(210)
    }
  })
})
