// An agent loop that stores every step: stop it anywhere, and the log has everything that was done.
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

for (;;) {
  const { text, call } = await model(session)
  if (call === undefined) {
    await session.append({ type: 'model_message', content: text })
    break
  }
  // record the call before the tool runs: after a crash, recent().dangling names it
  await session.append({ type: 'tool_call', content: call.name, parts: call })
  const answer = 'sunny, 24 degrees'
  // with the key, a retry after a lost reply writes nothing twice
  const options = { idempotencyKey: `result of ${call.id}` }
  await session.append({ type: 'tool_result', content: answer, parts: { toolCallId: call.id } }, options)
}

for (const event of await session.events({ after: 1 })) console.log(`${event.sequence} ${event.type}: ${event.content}`)
await tl.close()
