// A process that does everything a tenant can do at once, until its input ends. Prints a line once a call was refused,
// which means that it has all it can get, and at the end the statuses of its calls.
import { connect, type Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import { type Call, call, connections } from './call.ts'

export interface FullLoad {
  url: string
  users: readonly { token: string; session: string }[]
  /** Calls of each user at once. */
  callsAtOnce: number
  /** Unfinished bodies of each user, and unread streams. */
  bodies: number
  streams: number
}

/** The calls that were made. */
export interface LoadReport {
  /** Responses by their status; 0: the connection was closed. */
  statuses: Record<number, number>
}

// the machine has few cores: this one may use what the server and the measured calls leave
setPriority(constants.priority.PRIORITY_LOW)
const { url, users, callsAtOnce, bodies, streams } = JSON.parse(process.argv[2] ?? '') as FullLoad
const { hostname, port } = new URL(url)
const EVENT = { type: 'user_message', content: 'Is the night train to Vienna on time?' }
/** Milliseconds between two bytes of a slow body. */
const DRIP = 200

const statuses: LoadReport['statuses'] = {}
process.stdin.resume().once('end', () => {
  process.stdout.write(`${JSON.stringify({ statuses } satisfies LoadReport)}\n`, () => process.exit())
})

/** A connection that is opened again when the server closes it. */
function opened(onOpen: (socket: Socket) => () => void): void {
  const socket = connect(Number(port), hostname).on('error', () => {})
  const stop = onOpen(socket)
  socket.once('close', () => {
    stop()
    opened(onOpen)
  })
}

const head = (method: string, path: string, token: string, ...lines: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${token}`, ...lines, '', ''].join('\r\n')

/** A body that arrives byte by byte. */
function slowBody({ token, session }: FullLoad['users'][number]): void {
  opened((socket) => {
    const lines = ['content-type: application/json', 'content-length: 1000000']
    socket.resume().write(head('POST', `/v1/sessions/${session}/events`, token, ...lines) + ' '.repeat(200_000))
    const drip = setInterval(() => socket.write(' '), DRIP)
    return () => clearInterval(drip)
  })
}

/** A stream that nobody reads. */
function unreadStream({ token, session }: FullLoad['users'][number]): void {
  opened((socket) => {
    socket.pause().write(head('GET', `/v1/sessions/${session}/stream`, token))
    return () => {}
  })
}

const agent = connections(users.length * callsAtOnce)

async function keepCalling({ token, session }: FullLoad['users'][number], first: number): Promise<void> {
  const calls: Call[] = [
    { token, method: 'POST', path: '/v1/verify', body: {} },
    { token, method: 'POST', path: '/v1/export', body: {} },
    { token, method: 'POST', path: '/v1/index', body: {} },
    { token, method: 'GET', path: '/v1/sessions?limit=500' },
    { token, method: 'GET', path: `/v1/sessions/${session}/events?limit=500` },
    { token, method: 'POST', path: `/v1/sessions/${session}/events`, body: Array(20).fill(EVENT) },
  ]
  for (let n = first; ; n++) {
    const status = await call(agent, url, calls[n % calls.length] as Call).catch(() => 0)
    if (status === 429 && statuses[429] === undefined) process.stdout.write('"refused"\n')
    statuses[status] = (statuses[status] ?? 0) + 1
  }
}

for (const user of users) {
  for (let i = 0; i < bodies; i++) slowBody(user)
  for (let i = 0; i < streams; i++) unreadStream(user)
}
for (const user of users) for (let i = 0; i < callsAtOnce; i++) void keepCalling(user, i)
