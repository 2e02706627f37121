// A worker that claims sessions and repeats no step after a crash, and a person who stops it.
import { open, type Run } from 'throughline'

/** Stands in for your model and tools. Each result is recorded under its key. */
async function work(run: Run): Promise<void> {
  const train = await run.step('find a train', () => ({ number: 'NJ 40490', leaves: '21:40' }))
  // a step that takes long passes the signal on: it fires when the run has to stop
  await run.step('book a seat', async ({ signal }) => await book(train.number, signal))
  await run.addMessage({ role: 'assistant', content: `Booked ${train.number} at ${train.leaves}.` })
}

let attempts = 0
async function book(train: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  attempts++
  if (attempts === 1) throw new Error('the booking system is busy')
  return `a seat in ${train}`
}

const tl = await open('memory:')
const session = await tl.sessions.create({ userId: 'ada' })
await session.addMessage({ role: 'user', content: 'Book me a night train to Vienna.' })

// the worker's loop: claim, work, finish or fail; a failed run is tried again after a second
for (let isDone = false; !isDone; ) {
  await using run = await tl.claim({ worker: 'worker-1' })
  try {
    await work(run)
    await run.finish()
    isDone = true
  } catch (error) {
    await run.fail(error)
  }
}

// from any process: session.cancel(), `throughline cancel`, or the page
const another = await session.run({ worker: 'worker-2' })
const stopped = new Promise((resolve) => another.signal.addEventListener('abort', resolve))
await session.cancel({ reason: 'not today' })
await stopped
console.log(another.signal.reason.message)
await another.finish()

for (const { generation, worker, outcome } of (await session.runs()).reverse()) {
  console.log(`run ${generation} of ${worker}: ${outcome}`)
}
await tl.close()
