// Content of one session is available in the next, with its source.
import { open } from 'throughline'

const tl = await open('memory:')
const userId = 'ada'

const spring = await tl.sessions.create({ userId })
await spring.append([
  { type: 'user_message', content: 'I prefer the window seat. When does the night train to Vienna leave?' },
  { type: 'model_message', content: 'It leaves at 21:40 from platform 7.' },
])
await spring.end()
await tl.memories.extract(spring.id) // also happens by itself shortly after the end

// recall: searches every session, best match first, with its place in the log
const { items } = await tl.recall({ userId, query: 'What time did the Vienna train leave?', limit: 1 })
console.log(`${items[0]?.kind} ${items[0]?.sequence}: ${items[0]?.content}`)

// memories: facts worth keeping, with a confidence
const [seat] = (await tl.memories.search({ userId, query: 'Which seats does she like?' })).items
console.log(`${seat?.content}, confidence ${seat?.confidence}, from event ${seat?.lineage[0]?.from}`)

const surer = await tl.memories.corroborate(seat?.id ?? '', { source: 'booking form' })
const wrong = await tl.memories.contradict(surer.id, { content: 'I prefer the aisle seat' })
console.log(`${surer.confidence}, then ${wrong.confidence}, and another memory replaces it`)
for (const { version, change, confidence } of await tl.memories.history(wrong.id)) {
  console.log(`  ${version} ${change} ${confidence}`)
}

// the context of the next session includes what matches its last message
const autumn = await tl.sessions.create({ userId, task: 'Book the trip' })
await autumn.append({ type: 'user_message', content: 'Book the same train again, with the seat I like' })
const { recalled = [], messages } = await autumn.context({ maxTokens: 1000, recall: true })
console.log(`${recalled.length} recalled into ${messages.length} messages, on record as memory_recall`)
await tl.close()
