import { describe, expect, it } from 'vitest'
import { growth, LINEAR } from '../../test/growth.ts'
import { HistoryPairing } from './context/units.ts'
import type { SessionEvent } from './event.ts'
import { FORMATS } from './formats/formats.ts'
import { pairResults } from './formats/pairing.ts'
import type { Json } from './json.ts'
import { type Message, toMessages } from './message.ts'
import { addPhraseBonus } from './recall/neighbor-scores.ts'
import { parseQuery } from './recall/query.ts'
import { summarizeWork } from './work.ts'

const list = <T>(length: number, item: (i: number) => T) => Array.from({ length }, (_, i) => item(i))
const event = (type: string, parts: Json) => ({ type, content: '', parts }) as Partial<SessionEvent> as SessionEvent

const called = (n: number): Message => ({
  role: 'assistant',
  content: '',
  toolCalls: list(n, (i) => ({ id: `${i}`, name: 'f', arguments: '' })),
})
const results = (n: number) => list(n, (i): Message => ({ role: 'tool', content: 'x', toolCallId: `${n - i}` }))
const answeredCalls = (n: number) => [...callEvents(n), ...list(n, (i) => event('tool_result', { toolCallId: `${i}` }))]

function pair(events: readonly SessionEvent[]): void {
  const pairing = new HistoryPairing()
  for (const one of events.toReversed()) pairing.add(one)
}

const conversation = (n: number): Message[] => [called(n), ...results(n), { role: 'user', content: 'x' }, called(n)]
const callEvents = (n: number) => list(n, (i) => event('tool_call', { id: `${i}`, name: 'f', arguments: '' }))

const commit = (n: number) =>
  event('work_committed', {
    observations: [
      ...list(n, (i) => ({ kind: 'note', id: `${i}`, text: 'seen' })),
      {
        kind: 'relations',
        edges: list(n, (i) => ({ from: `decision:${i}`, label: 'decidedIn', to: 'task:session' })),
      },
    ],
  })

const spelled = (i: number) => `${i}`.replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))

/** Prepares the work outside the measured time. */
const timed =
  <T>(input: (size: number) => T, work: (input: T) => unknown) =>
  (size: number) => {
    const given = input(size)
    return () => work(given)
  }

const reasoning = (n: number) => list(n, () => ({ type: 'reasoning', id: 'r', summary: [] }))

/** 200 messages that repeat two words; the second is never near the first. */
function repeated(n: number) {
  const places = (from: number) => list(64 * n, (i) => from + i)
  const postings = list(200, (i) => ({ places: places(i < 100 ? 100_000 : 0) }))
  const entries = { postings, starts: [0, 100, 200], ownEnds: [100, 200] }
  return { entries, slotOf: list(200, (i) => i % 100) } as never
}

const names = (n: number) => ({
  query: list(n, (i) => `Wo${spelled(i)}`).join(' '),
  speakers: list(n / 30, (i) => list(100, (k) => `Wo${spelled(i)}x${spelled(k)}`).join(' ')),
})

const WORK: [title: string, size: number, prepare: (size: number) => () => unknown][] = [
  ['calls and results of a context', 1000, timed(answeredCalls, pair)],
  ['calls that join one message', 1000, timed(callEvents, toMessages)],
  ['decisions of one commit', 300, timed(commit, (one) => summarizeWork([one]))],
  ['reasoning items of OpenAI responses', 300, timed(reasoning, FORMATS['openai-responses'].from)],
  ['results of calls', 2000, timed(conversation, (all) => pairResults(all, 'openai-chat', { adjacent: true }))],
  ['repeated words', 1, timed(repeated, (all) => addPhraseBonus(new Float64Array(100), all, 0, 1, 1))],
  ['names in a query', 300, timed(names, ({ query, speakers }) => parseQuery(query, speakers))],
]

describe('work grows in proportion to the number of', () => {
  it.each(WORK)('%s', (_, size, prepare) => {
    expect(growth(size, prepare)).toBeLessThan(LINEAR)
  })
})
