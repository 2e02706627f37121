// A fresh process for X6: prints the milliseconds of the first context() of the process, of the first one of a
// second store in it, and of repeated ones.
import { open } from '../../dist/index.js'

const [url = '', id = '', budget = '', repeats = ''] = process.argv.slice(2)

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function openSession() {
  const tl = await open({ url, index: false })
  const session = await tl.sessions.get(id)
  return { tl, call: () => session.context({ maxTokens: Number(budget) }) }
}

const first = await openSession()
const inProcess = await timed(first.call)
await first.tl.close()
const second = await openSession()
const store = await timed(second.call)
const repeated: number[] = []
for (let i = 0; i < Number(repeats); i++) repeated.push(await timed(second.call))
await second.tl.close()
process.stdout.write(JSON.stringify({ process: inProcess, store, repeated }))
