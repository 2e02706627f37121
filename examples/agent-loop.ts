// An agent loop that survives crashes: start it again, and it goes on where it was.
import { open, type Session } from 'throughline'

/** Stands in for your model: calls the tool once, then answers. */
async function model(session: Session) {
  const { events } = await session.recent({ maxTokens: 8000 })
  const result = events.findLast((event) => event.type === 'tool_result')
  return result === undefined
    ? { text: '', call: { id: 'call-1', name: 'weather', arguments: '{"city":"Vienna"}' } }
    : { text: `In Vienna it is ${result.content}.` }
}

const tl = await open('memory:')
const session = await tl.sessions.create({ userId: 'ada' })
await session.append({ type: 'user_message', content: 'What is the weather in Vienna?' })

// one worker at a time: a second one gets RUN_ACTIVE, or takes over once this one has crashed
const run = await session.run({ worker: 'example' })
for (let round = 1; ; round++) {
  // a recorded step is not repeated after a crash, and pass run.signal to your model: stop buttons fire it
  const { text, call } = await run.step(`model ${round}`, () => model(run))
  if (call === undefined) {
    await run.append({ type: 'model_message', content: text }, { idempotencyKey: 'answer' })
    break
  }
  // with the keys, a loop that starts over writes nothing twice
  await run.append({ type: 'tool_call', content: call.name, parts: call }, { idempotencyKey: call.id })
  const answer = await run.step(call.id, () => 'sunny, 24 degrees')
  const result = { type: 'tool_result', content: answer, parts: { toolCallId: call.id } } as const
  await run.append(result, { idempotencyKey: `result of ${call.id}` })
}
await run.finish()

for (const { sequence, type, content } of await session.events({ after: 1 }))
  console.log(`${sequence} ${type}: ${content}`)
await tl.close()
