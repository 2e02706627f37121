import { expect, it } from 'vitest'
import { amount, printFigure, withDatabaseFile } from '../proof.ts'
import { startServeProcess } from '../servers/serve-process.ts'

const SECONDS = amount(4, 300)
const CALLERS = 32
const SAMPLES = 20
const CONTENT = 'A message of ordinary length that says something. '.repeat(10)

/** One caller: begins sessions, writes, reads and follows, one after the other, until the time is up. */
async function call(url: string, caller: number, until: number): Promise<number> {
  const send = async (method: string, path: string, body?: object) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(`${url}/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    expect(response.ok, text).toBe(true)
    return text === '' ? undefined : JSON.parse(text)
  }
  let done = 0
  while (Date.now() < until) {
    const { id } = await send('POST', '/sessions', { userId: `user ${caller}` })
    for (let i = 0; i < 20 && Date.now() < until; i++, done += 2) {
      await send('POST', `/sessions/${id}/events`, { type: 'user_message', content: CONTENT })
      await send('GET', `/sessions/${id}/recent?maxTurns=5`)
    }
    await send('PATCH', `/sessions/${id}/state`, { done })
    await follow(url, id)
    // every other session ends, so that there is something to gather and to index
    if (caller % 2 === 0) await send('POST', `/sessions/${id}/end`)
    done += 3
  }
  return done
}

/** Opens a stream, reads what comes first, and goes away in the middle of it. */
async function follow(url: string, id: string): Promise<void> {
  const leaving = new AbortController()
  const response = await fetch(`${url}/v1/sessions/${id}/stream`, { signal: leaving.signal })
  await response.body?.getReader().read()
  leaving.abort()
}

async function memoryOf(url: string): Promise<{ rss: number; heap: number }> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const of = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]) / 2 ** 20
  return { rss: of('process_resident_memory_bytes'), heap: of('nodejs_heap_size_used_bytes') }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

it('uses no more memory after minutes of load than after the first', { timeout: 900_000 }, async () => {
  await withDatabaseFile(async (path) => {
    const server = await startServeProcess({ THROUGHLINE_URL: `sqlite:${path}` })
    const until = Date.now() + SECONDS * 1000
    const calls = Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(server.url, caller, until)))
    const samples: { rss: number; heap: number }[] = []
    for (let i = 1; i <= SAMPLES; i++) {
      await new Promise((resolve) => setTimeout(resolve, (SECONDS * 1000) / SAMPLES))
      samples.push(await memoryOf(server.url))
    }
    const requests = (await calls).reduce((sum, done) => sum + done, 0)
    server.stop()
    expect((await server.ended).code).toBe(0)
    const rss = samples.map((sample) => sample.rss)
    const [early, late] = [median(rss.slice(SAMPLES / 5, SAMPLES / 2)), median(rss.slice(-SAMPLES / 4))]
    printFigure(`${requests} requests over HTTP in ${SECONDS} s by ${CALLERS} callers, memory of the server in MB:`)
    printFigure(`resident ${rss.map(Math.round).join(' ')}`)
    printFigure(`heap ${samples.map(({ heap }) => Math.round(heap)).join(' ')}`)
    // what the collector has not come to yet moves by tens of megabytes
    expect(late).toBeLessThan(early * 1.2 + amount(200, 30))
  })
})
