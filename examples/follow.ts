// Follow a session while this process or any other with the same store writes to it.
import { open } from 'throughline'

const tl = await open('memory:')
const session = await tl.sessions.create({ userId: 'ada' })
const stop = new AbortController()

const following = (async () => {
  for await (const event of session.tail({ signal: stop.signal })) {
    console.log(`${event.sequence} ${event.type}: ${event.content}`)
    if (event.content === 'third') stop.abort()
  }
})()

for (const content of ['first', 'second', 'third']) await session.append({ type: 'user_message', content })
await following
await tl.close()
