// A session from start to end: a message starts it, a question pauses it, a yes completes it. The next one knows.
import { createHash } from 'node:crypto'
import { open } from 'throughline'

const tl = await open('memory:')
const say = (message: string) => tl.conversations.handle('c-1', { userId: 'ada', message })

const { session } = await say('Add retry logic to the connect function')
if (session === undefined) throw new Error('a first message always starts a session')
session.observe.fileRead({ path: 'src/connect.ts' }) // waits in this process …
await session.ask('A fixed pause (A), or one that grows (B)?') // … and is written with the next step

const { intent, action } = await say('Option B')
console.log(`${intent}: ${action}, ${(await session.record()).status.state}`)

session.observe.note('Decision: the pause doubles')
session.observe.fileWrite({ path: 'src/connect.ts', content: 'for (let pause = 100; ; pause *= 2) …' })
session.observe.command({ command: 'npm test', exitCode: 0 })
await session.propose('connect() tries again, and waits twice as long each time.')
await session.confirm() // what handle() does with “Perfect, thanks!”

const [commit] = (await tl.conversations.commits('c-1')).items
console.log(commit?.summary)

// the events of a commit stay in the log: anyone can check that they are unchanged
const { from = 0, to = 0 } = commit?.range ?? {}
const hash = createHash('sha256')
for (const event of await session.events({ after: from - 1, before: to + 1, limit: 500 })) {
  const { sequence, type, role, content, parts, agentId, occurredAt, createdAt } = event
  const line = [sequence, type, role, content, JSON.stringify(parts), agentId, occurredAt, createdAt]
  hash.update(`${JSON.stringify(line)}\n`)
}
console.log(`events ${from} to ${to} are those of the commit: ${hash.digest('hex') === commit?.hash}`)

const next = await say("Now let's add connection pooling")
const context = await next.session?.context({ maxTokens: 500 })
console.log(`the context of the next session has ${context?.messages.length} messages, ${context?.tokens} tokens`)
await tl.close()
