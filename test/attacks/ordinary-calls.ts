// A process that makes ordinary calls one after the other, and prints what each of them took.
import { readFileSync } from 'node:fs'
import { type Call, call, connections } from './call.ts'

export interface OrdinaryCalls {
  url: string
  /** Process of the server. */
  pid: number
  token: string
  session: string
  /** Calls of each kind. */
  count: number
}

/** The calls that were made. */
export interface OrdinaryTimes {
  /** Responses by their status. */
  statuses: Record<number, number>
  /** Milliseconds of each call. */
  wall: number[]
  /** Milliseconds of CPU time that the server's main thread used during each call; empty where the system hides it. */
  cpu: number[]
}

const { url, pid, token, session, count } = JSON.parse(process.argv[2] ?? '') as OrdinaryCalls
const agent = connections(1)
const path = `/v1/sessions/${session}`
const CALLS: Call[] = [
  { token, method: 'POST', path: `${path}/events`, body: { type: 'user_message', content: 'Is the train on time?' } },
  { token, method: 'GET', path: `${path}/recent?maxTurns=5` },
  { token, method: 'GET', path: '/v1/sessions?limit=10' },
]

/** CPU time of the server's main thread, in milliseconds: it does not depend on what else the machine does. */
function cpuTime(): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6
}

// connects, as a client does once
await call(agent, url, CALLS[1] as Call)
const hasCpuTime = process.platform === 'linux'
const times: OrdinaryTimes = { statuses: {}, wall: [], cpu: [] }
for (let i = 0; i < count; i++) {
  for (const one of CALLS) {
    const [start, used] = [performance.now(), hasCpuTime ? cpuTime() : 0]
    const status = await call(agent, url, one)
    times.wall.push(performance.now() - start)
    if (hasCpuTime) times.cpu.push(cpuTime() - used)
    times.statuses[status] = (times.statuses[status] ?? 0) + 1
  }
}
agent.destroy()
process.stdout.write(`${JSON.stringify(times)}\n`)
