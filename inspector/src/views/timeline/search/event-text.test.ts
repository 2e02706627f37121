import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../api/types.ts'
import { foldText } from '../../../parts/fold-text.ts'
import { searchedText, snippetOf } from './event-text.ts'
import { matchFrom } from './match-steps.ts'

const event = (type: string, content: string, parts?: object) => ({ type, content, parts }) as unknown as SessionEvent

describe('the text that a search finds', () => {
  it('is the content, and names and arguments of calls', () => {
    const call = event('model_message', 'I look', {
      toolCalls: [{ id: 'a', name: 'Bash', arguments: { command: 'GREP seats' } }],
      entry: { uuid: 'not-searched' },
    })
    const text = searchedText(call)
    for (const part of ['i look', 'bash', 'grep seats']) expect(text).toContain(part)
    expect(text).not.toContain('not-searched')
    expect(searchedText(event('x.progress', 'Half', { line: 'not-searched' }))).toBe('half')
  })

  it('has no case and no accents', () => {
    expect(searchedText(event('user_message', 'Évora ÄRGER'))).toBe('evora arger')
  })

  it('a snippet shows the match as it was written', () => {
    const long = `${'before '.repeat(20)}Reise nach Évora\n planen${' after'.repeat(20)}`
    const snippet = snippetOf(event('user_message', long), foldText('evora'))
    expect(snippet?.match).toBe('Évora')
    expect(snippet?.before).toMatch(/^….*Reise nach $/)
    expect(snippet?.after).toMatch(/^ planen after.*…$/)
    expect(snippetOf(event('user_message', 'short'), 'absent')).toBeUndefined()
  })
})

it('matches are visited in order, around the ends', () => {
  const from = (here: number | undefined, direction: 1 | -1) => matchFrom([3, 7, 9], here, direction)
  expect([from(undefined, 1), from(3, 1), from(5, 1), from(9, 1)]).toEqual([3, 7, 7, 3])
  expect([from(undefined, -1), from(3, -1), from(8, -1)]).toEqual([9, 9, 7])
  expect(matchFrom([], 3, 1)).toBeUndefined()
})
