// Many writers on one session: no gaps, nothing lost, nothing written twice.
import { open } from 'throughline'

const tl = await open({ url: 'sqlite:.throughline/many-writers.db' })
const session = await tl.sessions.create({ userId: 'ada' })

// facts need no coordination: any number of writers can append them, in any order
const notes = Array.from({ length: 100 }, (_, i) => session.append({ type: 'x.note', content: `note ${i}` }))
const written = (await Promise.all(notes)).flat()
console.log(`100 appends took the sequences ${written[0]?.sequence} to ${written.at(-1)?.sequence}`)

// a write that is valid only if nobody else wrote: state the last sequence you saw
const { head } = await session.record()
const writes = ['first', 'second'].map((content) =>
  session.append({ type: 'system_event', content }, { expectedSequence: head }),
)
for (const result of await Promise.allSettled(writes)) {
  console.log(result.status === 'fulfilled' ? 'written' : `refused: ${result.reason.code}`)
}

// the same key again returns the first result, and writes nothing
const options = { idempotencyKey: 'payment 17' }
const [once] = await session.append({ type: 'system_event', content: 'paid' }, options)
const [again] = await session.append({ type: 'system_event', content: 'paid' }, options)
console.log(`sent twice, written once: ${once?.sequence} = ${again?.sequence}`)

await tl.close()
