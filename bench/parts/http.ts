import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Connection, connectTo, requestOf } from '../http/connection.ts'
import { message, messages, runWriters } from '../load.ts'
import { type Competitor, measureInTurns } from '../measure.ts'
import type { Part } from '../part.ts'
import { urlOf } from './target.ts'

/** The repeated request. */
type What = 'append' | 'recent' | 'record'

const LINES = [
  ['H1', 'appends', 'append'],
  ['H2', 'last 30 turns', 'recent'],
  ['H3', 'records', 'record'],
] as const

const CONNECTIONS = 32
/** Requests of one connection in a round. */
const EACH = 250
/** Events in a log before it is read. */
const LENGTH = 60

/** H1 appends, H2 and H3 reads over 32 connections, each to a session of its own; the bare route first. */
export const HTTP: Part = {
  name: 'http',
  stores: ['sqlite', 'postgres'],
  async *run({ store, rounds, ms, places }) {
    for (const [id, title, what] of LINES) {
      const url = await urlOf(store, places)
      const competitors = [
        await competitor('raw', 'bare-server.ts', {}, what, ms),
        await competitor('throughline', 'throughline-server.ts', { url }, what, ms),
      ]
      const rows = await measureInTurns(competitors, rounds)
      yield { id, title: `${title} over HTTP, ${CONNECTIONS} connections`, by: 'rate', rows }
      await places.clear()
    }
  },
}

async function competitor(
  kind: 'raw' | 'throughline',
  file: string,
  options: object,
  what: What,
  ms: number,
): Promise<Competitor> {
  const name = kind === 'raw' ? 'bare route' : 'Throughline'
  const { child, url } = await started(file, options)
  const connections: Connection[] = []
  const requests: Buffer[] = []
  for (let i = 0; i < CONNECTIONS; i++) {
    const connection = await connectTo(url)
    connections.push(connection)
    const id = kind === 'throughline' ? await newSession(connection, what) : await keep(connection)
    const append = requestOf('POST', `/v1/sessions/${id}/events`, message(0))
    const read = requestOf('GET', `/v1/sessions/${id}${what === 'recent' ? '/recent' : ''}`)
    requests.push(what === 'append' ? append : read)
  }
  const send = async (i: number) => {
    const { status, body } = (await connections[i]?.send(requests[i] as Buffer)) ?? { status: 0, body: '' }
    if (status !== 200 && status !== 201) throw new Error(`${name} answered ${status}: ${body}`)
  }
  return {
    ...{ name, kind, base: 'bare route' },
    round: () => runWriters({ writers: CONNECTIONS, each: EACH }, send, ms),
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
  const path = fileURLToPath(new URL(`../http/${file}`, import.meta.url))
  // logs go to /dev/null: they cost a write, and are not kept
  const child = fork(path, [JSON.stringify({ options })], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const { url } = await new Promise<{ url: string }>((resolve, reject) => {
    child.once('message', (told) => resolve(told as { url: string }))
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
  })
  return { child, url }
}
