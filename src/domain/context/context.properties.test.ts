import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyHistory, characters, historyOf } from '../../../test/context/history-samples.ts'
import type { SessionEvent } from '../event.ts'
import { FORMATS, MESSAGE_FORMATS, withLateSystem } from '../formats/formats.ts'
import { pairResults } from '../formats/pairing.ts'
import type { Message } from '../message.ts'
import { messageTokens } from '../message-tokens.ts'
import { fitContext } from './context.ts'

const SECTIONS = {
  task: 'Add retries',
  scratchpad: { current_task: 'retries' },
  earlier: [{ id: 'c1', text: 'An earlier session' }],
}
const anyBudget = fc.oneof(fc.nat(100), fc.integer({ min: 100, max: 6000 }))
const contextOf = (log: readonly SessionEvent[], maxTokens: number, cuts = new Map()) =>
  fitContext({ sections: SECTIONS, history: historyOf(log), maxTokens }, characters, cuts)

describe('any context', () => {
  it('stays within its budget, and says what it takes', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anyBudget, async (log, budget) => {
        const { messages, tokens, sections } = await contextOf(log, budget)
        let sum = 0
        for (const message of messages) sum += await messageTokens(message, characters)
        expect(sum).toBe(tokens)
        expect(tokens).toBeLessThanOrEqual(budget)
        expect(sections.reduce((total, share) => total + share.tokens, 0)).toBe(tokens)
      }),
      { numRuns: 300 },
    )
  })

  it('has each result behind its call, and no call without a result but the last ones', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anyBudget, async (log, budget) => {
        const { messages, dangling } = await contextOf(log, budget)
        // nothing is left for the repair of unpaired calls
        for (const format of MESSAGE_FORMATS) {
          const repaired = pairResults(messages, format, { adjacent: false })
          expect(repaired.length).toBe(messages.length)
        }
        expect(openCalls(messages).toSorted()).toEqual(dangling.toSorted())
      }),
      { numRuns: 300 },
    )
  })

  it('is valid for every provider: texts, arguments in JSON, no system message after the first', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anyBudget, async (log, budget) => {
        const { messages } = await contextOf(log, budget)
        for (const { content, toolCalls = [], role } of messages) {
          expect(content !== '' || toolCalls.length > 0 || role === 'tool').toBe(true)
          for (const { arguments: given } of toolCalls) expect(() => JSON.parse(given)).not.toThrow()
        }
        for (const format of ['anthropic', 'ai-sdk'] as const) {
          const late = withLateSystem(messages, format)
          const first = late.findIndex(({ role }) => role !== 'system')
          expect(late.slice(Math.max(first, 0)).some(({ role }) => role === 'system' && first >= 0)).toBe(false)
        }
        for (const format of MESSAGE_FORMATS) expect(() => FORMATS[format].to(messages)).not.toThrow()
      }),
      { numRuns: 300 },
    )
  })

  it('is the same again, with nothing remembered and with all counts remembered', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anyBudget, async (log, budget) => {
        const counts = new Map()
        const first = await contextOf(log, budget, counts)
        expect(await contextOf(log, budget, counts)).toEqual(first)
      }),
      { numRuns: 300 },
    )
  })

  it('never shows less of the end with a larger budget', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anyBudget, fc.nat(500), async (log, budget, more) => {
        const small = await contextOf(log, budget)
        const large = await contextOf(log, budget + more)
        const lost = endOf(log, small.events).filter((sequence) => !large.events.has(sequence))
        expect(lost).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('uses at least 85 % of a budget that the session exceeds', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, fc.integer({ min: 4000, max: 16_000 }), async (log, budget) => {
        const { tokens, omitted } = await contextOf(log, budget)
        const isFull = omitted.every(({ reason }) => reason === 'no_call' || reason === 'no_result')
        if (!isFull) expect(tokens).toBeGreaterThan(0.85 * budget)
      }),
      { numRuns: 300 },
    )
  })
})

/** Ids of calls without a result. */
function openCalls(messages: readonly Message[]): string[] {
  const answered = new Set(messages.map(({ toolCallId }) => toolCallId))
  return messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)).filter((id) => !answered.has(id))
}

/** The newest events without a gap in the shown ones. */
function endOf(log: readonly SessionEvent[], shown: ReadonlySet<number>): number[] {
  const end: number[] = []
  for (const { sequence } of log.toReversed()) {
    if (!shown.has(sequence)) break
    end.push(sequence)
  }
  return end
}
