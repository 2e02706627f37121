import fc from 'fast-check'
import type { HistorySource, Turn } from '../../src/domain/context/context.ts'
import type { SessionEvent } from '../../src/domain/event.ts'
import type { Json } from '../../src/domain/json.ts'

/** One token for each character. */
export const characters = (text: string) => text.length

type Said = Pick<SessionEvent, 'type' | 'content'> & { parts?: Json; agentId?: string }

export const user = (content: string): Said => ({ type: 'user_message', content })
export const model = (content: string): Said => ({ type: 'model_message', content })
export const call = (id: string, given: Json = '{}', name = 'read'): Said => ({
  type: 'tool_call',
  content: '',
  parts: { id, name, arguments: given },
})
export const result = (id: string, content: string): Said => ({
  type: 'tool_result',
  content,
  parts: { toolCallId: id },
})
/** A message that announces its calls. */
export const calling = (content: string, ...ids: string[]): Said => ({
  type: 'model_message',
  content,
  parts: { toolCalls: ids.map((id) => ({ id, name: 'read', arguments: '{}' })) },
})

const ROLE: Record<string, SessionEvent['role']> = {
  user_message: 'user',
  tool_result: 'tool',
  system_event: 'system',
}

/** The log of what was said. */
export function logOf(said: readonly Said[]): SessionEvent[] {
  return said.map((one, i) => ({
    id: `event-${i + 1}`,
    sessionId: 'session',
    sequence: i + 1,
    role: ROLE[one.type] ?? 'assistant',
    createdAt: '2026-01-31T09:30:00.000Z',
    ...one,
  }))
}

/** Reads a log that is in memory, without any limit. */
export function historyOf(log: readonly SessionEvent[]): HistorySource {
  return {
    async *events() {
      yield* log.toReversed()
    },
    isCut: () => false,
    async turnsBefore(sequence) {
      const turns: Turn[] = []
      let answer: SessionEvent | undefined
      for (const event of log.slice(0, sequence - 1).toReversed()) {
        if (event.type === 'model_message' && event.content !== '') answer ??= event
        if (event.type !== 'user_message') continue
        turns.push(answer === undefined ? { request: event } : { request: event, answer })
        answer = undefined
      }
      return turns
    },
  }
}

const anyText = fc
  .tuple(
    fc.constantFrom('a', 'word ', 'line\n', '中', '😀'),
    fc.oneof({ weight: 6, arbitrary: fc.nat(20) }, fc.nat(400)),
  )
  .map(([unit, times]) => unit.repeat(times))
const anyRequest = anyText.map((text) => [user(`ask ${text}`)])
const anyAnswer = anyText.map((text) => [model(`told ${text}`)])
const anyStep = fc
  .tuple(fc.array(fc.tuple(anyText, anyText), { minLength: 1, maxLength: 3 }), fc.boolean(), fc.nat())
  .map(([pairs, together, seed]) => {
    const ids = pairs.map((_, i) => `${seed}-${i}`)
    const calls = pairs.map(([given], i) => call(ids[i] as string, JSON.stringify({ path: 'a.ts', given })))
    const results = pairs.map(([, text], i) => result(ids[i] as string, text))
    return together ? [...calls, ...results] : calls.flatMap((one, i) => [one, results[i] as Said])
  })
/** What real logs have too: calls without a result, results without a call, one id twice, steps in between. */
const anyOddity = fc.constantFrom<Said[]>(
  [call('open')],
  [result('lost', 'of no call')],
  [calling('', 'x', 'y'), call('x'), result('y', 'second'), result('x', 'first')],
  [calling('text', 'same'), call('same'), result('same', '1'), call('same'), result('same', '2')],
  [{ type: 'system_event', content: 'a notice' }],
  [call('async'), user('meanwhile'), result('async', 'late')],
)

/** Any history: mostly turns of several steps. */
export const anyHistory = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: anyRequest },
      { weight: 2, arbitrary: anyAnswer },
      { weight: 6, arbitrary: anyStep },
      { weight: 1, arbitrary: anyOddity },
    ),
    { maxLength: 60 },
  )
  .map((some) => logOf(some.flat()))
