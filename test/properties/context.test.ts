import { modelMessageSchema } from 'ai'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EventInput, type Message, open, type Session, type Throughline } from '../../src/index.ts'
import { amount } from '../proof.ts'

const tokenizer = { name: 'characters', count: (text: string) => text.length }
const text = fc.string({ minLength: 1, maxLength: 20 }).filter((one) => one.trim() !== '' && !one.includes('\0'))
const id = fc.constantFrom('1', '2', '3')

/** Events of a session: turns, calls and results in any order, some unpaired, and bookkeeping. */
const event: fc.Arbitrary<EventInput> = fc.oneof(
  fc.record({
    type: fc.constantFrom('user_message', 'model_message', 'system_event', 'x.own', 'memory_recall'),
    content: text,
  }),
  fc.record({
    type: fc.constant('tool_call'),
    content: fc.constant(''),
    parts: fc.record({ id, name: text, arguments: text }),
  }),
  fc.record({
    type: fc.constant('tool_result'),
    content: fc.string({ maxLength: 20 }).map((one) => one.replaceAll('\0', '')),
    parts: fc.record({ toolCallId: id }),
  }),
) as fc.Arbitrary<EventInput>

const step: fc.Arbitrary<(session: Session) => Promise<unknown>> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(event, { minLength: 1, maxLength: 6 }).map((events) => (s: Session) => s.append(events)),
  },
  { weight: 1, arbitrary: fc.constant((s: Session) => s.clear()) },
  { weight: 1, arbitrary: text.map((task) => (s: Session) => s.updateState({ current_task: task })) },
  { weight: 1, arbitrary: fc.nat(80).map((n) => (s: Session) => s.reduce({ maxTokens: n + 1 })) },
  {
    weight: 1,
    arbitrary: text.map((question) => async (s: Session) => {
      await s.ask(question)
      await s.answer('yes')
    }),
  },
)

let tl: Throughline
beforeAll(async () => {
  tl = await open({ url: 'memory:', tokenizer })
})
afterAll(() => tl.close())

const cost = ({ content, toolCalls = [] }: Message) =>
  content.length + toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0)

it('a context stays within its budget and in order, keeps pairs together, and is the same when built again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), fc.nat(400), async (steps, maxTokens) => {
      const session = await tl.sessions.create({ userId: 'ada', task: 'A task' })
      for (const take of steps) await take(session)
      const { messages, tokens, dangling } = await session.context({ maxTokens })
      expect(tokens).toBeLessThanOrEqual(maxTokens)
      expect(tokens).toBe(messages.reduce((sum, message) => sum + cost(message), 0))

      const calls = new Set<string>()
      const unanswered = new Set<string>()
      for (const { toolCalls = [], toolCallId } of messages) {
        if (toolCallId !== undefined) {
          expect(calls.has(toolCallId), `result of ${toolCallId} has its call`).toBe(true)
          unanswered.delete(toolCallId)
        }
        for (const call of toolCalls) {
          calls.add(call.id)
          unanswered.add(call.id)
        }
      }
      expect([...unanswered].sort()).toEqual([...new Set(dangling)].sort())

      // messages keep their order
      const said = (await session.messages()).map(({ role, content }) => `${role} ${content}`)
      let place = 0
      for (const { role, content, toolCalls } of messages.filter(({ role: who }) => who !== 'system')) {
        if (toolCalls !== undefined) continue
        place = said.indexOf(`${role} ${content}`, place) + 1
        expect(place, `${role} ${content}`).toBeGreaterThan(0)
      }

      const again = await session.context({ maxTokens })
      expect(again.messages).toEqual(messages)
      const shaped = await session.context({ maxTokens, format: 'ai-sdk' })
      expect(modelMessageSchema.array().safeParse(shaped.messages).error).toBeUndefined()
      await session.end()
    }),
    { numRuns: amount(150, 3000) },
  )
}, 600_000)
