import { describe, expect, it } from 'vitest'
import { describeBenefit, partTokens, stackParts, toBudgetResult, usedParts } from './budget-results.ts'

const share = (section: 'task' | 'window', tokens: number) => ({ section, count: 1, tokens })
const answer = (sections: ReturnType<typeof share>[], over: number) => ({
  messages: [],
  tokens: sections.reduce((sum, { tokens }) => sum + tokens, 0),
  sections,
  omitted: [
    ...(over > 0 ? [{ section: 'window' as const, count: over, reason: 'result_replaced' as const }] : []),
    { section: 'window' as const, count: 9, reason: 'no_result' as const },
  ],
  dangling: [],
})
const small = toBudgetResult(1000, answer([share('window', 900)], 12))
const large = toBudgetResult(4000, answer([share('task', 100), share('window', 2000)], 0))

describe('budget results', () => {
  it('count what did not fit, but not what no budget would include', () => {
    expect([small.over, large.over]).toEqual([12, 0])
  })

  it('list the parts that occur in any result', () => {
    expect(usedParts([small, large])).toEqual(['task', 'window'])
    expect([partTokens(small, 'task'), partTokens(large, 'task')]).toEqual([0, 100])
  })

  it('stack their parts without gaps', () => {
    expect(stackParts(large)).toEqual([
      { part: 'task', from: 0, to: 100 },
      { part: 'window', from: 100, to: 2100 },
    ])
  })

  it('say from which budget on more does not help', () => {
    expect(describeBenefit([])).toBe('')
    expect(describeBenefit([small])).toMatch(/^1,000 tokens .* 12 .*larger budget/)
    expect(describeBenefit([small, large])).toMatch(/fits from 4,000 tokens .*2,100/)
  })
})
