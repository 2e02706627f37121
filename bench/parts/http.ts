import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Connection, connectTo, requestOf } from '../http/connection.ts'
import { message, messages } from '../load.ts'
import { alternate, type Competitor, type Result } from '../measure.ts'
import type { Places } from '../places.ts'

export const HTTP_STORES = ['sqlite', 'postgres'] as const

type Store = (typeof HTTP_STORES)[number]

/** What is asked for again and again. */
export type What = 'append' | 'recent' | 'record'

const CONNECTIONS = 32
/** Requests of one connection in a round. */
const EACH = 250
/** Events in a log before it is read. */
const LENGTH = 60

/** H1 appends, H2 and H3 reads over 32 connections, each to a session of its own; the bare route first. */
export async function httpPart(what: What, store: Store, rounds: number, places: Places): Promise<Result[]> {
  const url = store === 'sqlite' ? `sqlite:${places.file()}` : await (await places.postgres()).served()
  const competitors = [
    await competitor('bare route', './bare.ts', {}, what),
    await competitor('throughline', './served.ts', { url }, what),
  ]
  const results = await alternate(competitors, rounds)
  await places.clear()
  return results
}

async function competitor(name: string, file: string, options: object, what: What): Promise<Competitor> {
  const { child, url } = await started(file, options)
  const connections: Connection[] = []
  const requests: Buffer[] = []
  for (let i = 0; i < CONNECTIONS; i++) {
    const connection = await connectTo(url)
    connections.push(connection)
    const id = name === 'throughline' ? await newSession(connection, what) : await keep(connection)
    const append = requestOf('POST', `/v1/sessions/${id}/events`, message(0))
    const read = requestOf('GET', `/v1/sessions/${id}${what === 'recent' ? '/recent' : ''}`)
    requests.push(what === 'append' ? append : read)
  }
  return {
    name,
    async round() {
      const latencies: number[] = []
      await Promise.all(
        connections.map(async (connection, i) => {
          for (let n = 0; n < EACH; n++) {
            const start = performance.now()
            const { status, body } = await connection.send(requests[i] as Buffer)
            latencies.push(performance.now() - start)
            if (status >= 300) throw new Error(`${name} answered ${status}: ${body}`)
          }
        }),
      )
      return { operations: latencies.length, latencies }
    },
    async close() {
      for (const connection of connections) connection.close()
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await ended
    },
  }
}

async function newSession(connection: Connection, what: What): Promise<string> {
  const { body } = await connection.send(requestOf('POST', '/v1/sessions', { userId: 'bench' }))
  const { id } = JSON.parse(body) as { id: string }
  if (what === 'recent') {
    for (const some of messages(LENGTH)) await connection.send(requestOf('POST', `/v1/sessions/${id}/events`, some))
  }
  return id
}

/** The bare route answers with as many events of the same shape. */
async function keep(connection: Connection): Promise<string> {
  const id = '01890000-0000-7000-8000-000000000000'
  const rest = { id, sessionId: id, sequence: 1, createdAt: new Date().toISOString() }
  const events = Array.from({ length: LENGTH }, (_, i) => ({ ...rest, ...message(i) }))
  const record = {
    ...{ id, tenant: 'local', userId: 'bench', chatmode: 'default', conversationId: id, status: { state: 'running' } },
    ...{
      activeAgent: 'coach',
      head: 1,
      turns: 0,
      startedAt: rest.createdAt,
      lastActivityAt: rest.createdAt,
      metadata: {},
    },
  }
  await connection.send(requestOf('POST', '/keep', { events, record }))
  return id
}

async function started(file: string, options: object): Promise<{ child: ChildProcess; url: string }> {
  const path = fileURLToPath(new URL(`../http/${file.slice(2)}`, import.meta.url))
  // logs go where they cost what writing to a file costs, and are not kept
  const child = fork(path, [JSON.stringify({ options })], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const { url } = await new Promise<{ url: string }>((resolve, reject) => {
    child.once('message', (told) => resolve(told as { url: string }))
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
  })
  return { child, url }
}
