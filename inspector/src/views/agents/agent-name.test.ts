import { describe, expect, it } from 'vitest'
import { nameParts, nameText } from './agent-name.ts'

describe('the name of an agent', () => {
  it('is cut in the middle, so that names that start alike still differ', () => {
    const name = (end: string) => `acme/${'department-'.repeat(10)}${end}`
    expect(nameText(name('reader'), 40)).toBe('acme/department-department-dep…ent-reader')
    expect(nameText(name('reader'), 40)).not.toBe(nameText(name('writer'), 40))
    expect(nameText('planner', 40)).toBe('planner')
    const whole = 'a name of some thirty letters x'
    expect(nameParts(whole, 40)).toEqual(['a name of some thirty', ' letters x'])
    expect(nameText(`${'🧭'.repeat(50)}end`, 20)).toBe(`${'🧭'.repeat(10)}…${'🧭'.repeat(7)}end`)
  })

  it('shows hidden characters on one line', () => {
    expect(nameText(' a\n\u202eb ', 40)).toBe('a [U+202E]b')
  })
})
