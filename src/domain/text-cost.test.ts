import { describe, expect, it } from 'vitest'
import { cpuTime, growth, LINEAR } from '../../test/growth.ts'
import { amount } from '../../test/proof.ts'
import { matchRules } from './classify.ts'
import type { SessionEvent } from './event.ts'
import { containsSecret } from './memory/extract/secret.ts'
import { extractFacts } from './memory/extract.ts'
import { analyzeText } from './recall/analyze.ts'
import { parseQuery } from './recall/query.ts'
import { extractiveSummary } from './summary.ts'
import { summarizeWork } from './work.ts'

/** Pieces of every kind that some pattern of ours starts with, repeats or looks for. */
const UNITS = [
  'a·A·aé·é·aÉ·e\u0301·\u0301·\ufdfa·ſ·İ·中·。中·ひら·ไทย·не·٣·😀·🏳️‍🌈·👩‍👩‍👧·\u200d·\ufffc· ·\t·\n·\r\n· \n·a\u00a0·\u2028·    ',
  `"·“·“”·«·'·' ·'a·a'a·é's ·n't ·\`·\`\`·\`\`\`·\`\`\`\n·.·...x·. ·.x·!·?·;)·; ·x;·:)·--·=·+·+a·a1+·/·a/·a.·a_·a@·<·|·{·[·\\`,
  '1·1 ·12:·19·20·2020-·1. ·- ·> ·Error·at (·() ·a1·A1/·token ·pin a ·xed·xed ·eed·Bed ·a, B·x, Xx·x, XX·I ·I am ',
  'my a ·you a·your a ·did you ·so ·and,·no ·please, ·, so ·,can ·?can ·if ·remember that ·for now ·as a ·a b ·this ',
  "last ·monday ·what ·how many ·write a ·don't use ·very ·decision: ·leave ",
].flatMap((line) => line.split('·'))

const event = (type: SessionEvent['type'], role: SessionEvent['role'], content: string): SessionEvent => {
  const parts = { gate: 1, passed: true }
  return { id: '', sessionId: '', sequence: 1, type, role, content, parts, createdAt: '2026-01-01T00:00:00.000Z' }
}

const WORK: Readonly<Record<string, (text: string) => unknown>> = {
  'the analysis for the index': analyzeText,
  'the parsing of a query': (text) => parseQuery(text, ['user', 'Ann Lee']),
  'the classification of a message': (text) =>
    matchRules({ message: text, status: { state: 'awaiting_user', question: text, askedAt: '' }, task: text }),
  'the extraction of facts': (text) =>
    extractFacts([
      event('user_message', 'user', text),
      event('model_message', 'assistant', text),
      event('validation_gate', 'system', text),
    ]),
  'the search for secrets': containsSecret,
  'a summary': (text) => extractiveSummary({ task: text, work: summarizeWork([]), lastModelMessage: text }),
}

describe.each(Object.entries(WORK))('%s', (_, work) => {
  const size = amount(1000, 4000)
  // what takes less is not worth a second look: a quadratic pattern takes more
  const worthMeasuring = 15

  it('takes time in proportion to the text, whatever it repeats', () => {
    const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length))
    const slow = UNITS.filter((unit) => cpuTime(() => work(fill(unit, 16 * size))) > worthMeasuring)
    const prepare = (unit: string) => (length: number) => {
      const text = fill(unit, length)
      return () => work(text)
    }
    expect(slow.filter((unit) => growth(size, prepare(unit)) > LINEAR)).toEqual([])
  })
})
