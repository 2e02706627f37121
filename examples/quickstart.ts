import { open } from 'throughline'

const tl = await open() // creates .throughline/sessions.db on first use
const session = await tl.sessions.getOrCreate({ userId: 'ada', task: 'Plan the trip' })

await session.append({ type: 'user_message', content: 'Find me a night train to Vienna.' })
await session.append({ type: 'model_message', content: 'There is one at 21:40. Shall I book it?' })

const { events } = await session.recent() // the last 30 turns, for a model
for (const event of events) console.log(`${event.sequence} ${event.role}: ${event.content}`)

await tl.close() // run it again: the conversation continues
