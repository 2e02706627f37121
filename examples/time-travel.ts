// Look at a session as it was, and continue from there in another direction.
import { open } from 'throughline'

const tl = await open('memory:')
const session = await tl.sessions.create({ userId: 'ada', task: 'Write a poem' })
await session.append({ type: 'user_message', content: 'A poem about the sea.' })
await session.append({ type: 'model_message', content: 'The sea is wide …' })
await session.append({ type: 'user_message', content: 'Make it about the desert instead.' })

const before = await session.at(3)
console.log(`after event 3 there had been ${before.record.turns} turn, now there are ${(await session.record()).turns}`)

const fork = await session.fork({ at: 3, task: 'Write a longer poem' })
await fork.append({ type: 'user_message', content: 'Three more verses, please.' })
for (const event of await fork.events()) console.log(`${event.sequence} ${event.type}: ${event.content}`)

const { differences } = await tl.verify()
console.log(`${differences.length} differences between the logs and the stored views`)
await tl.close()
