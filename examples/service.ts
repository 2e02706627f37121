// The functions of a web service: each takes the caller's user id, and returns a result instead of throwing.
import { open, serviceOf } from 'throughline'

const tl = await open('memory:')
const service = serviceOf(tl, { expiresInMs: 24 * 60 * 60 * 1000 })

const started = await service.getOrCreateSession('ada')
if (!started.success) throw new Error(started.error.message)
const { id } = started.data

await service.addMessage(id, 'ada', { role: 'user', content: 'I want to run a marathon' })
const result = await service.recordTransition(id, 'ada', { to: 'goalArchitect', reason: 'User wants to create a goal' })
if (result.success) console.log(`${result.data.activeAgent}, after ${result.data.messages.length} message`)

console.log(JSON.stringify(await service.getSession(id, 'bob')))
await tl.close()
