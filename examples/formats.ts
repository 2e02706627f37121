// A conversation stored once and sent to any provider: converted between formats and back without loss.
import { fromAnthropic, open, toOpenAIChat } from 'throughline'

const tl = await open('memory:')
const session = await tl.sessions.create({ userId: 'ada' })

const conversation = [
  { role: 'user', content: 'What is the weather in Vienna and in Graz?' },
  {
    role: 'assistant',
    content: [
      { type: 'tool_use', id: 'v', name: 'weather', input: { city: 'Vienna' } },
      { type: 'tool_use', id: 'g', name: 'weather', input: { city: 'Graz' } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'v', content: 'sunny' },
      { type: 'tool_result', tool_use_id: 'g', content: '' },
    ],
  },
]
await session.addMessage(fromAnthropic(conversation))

const { messages } = await session.messages({ format: 'anthropic' })
console.log(`the same for Anthropic: ${JSON.stringify(messages) === JSON.stringify(conversation)}`)
for (const message of toOpenAIChat(await session.messages())) console.log(`for OpenAI: ${message.role}`)
await tl.close()
