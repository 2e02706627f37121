// How data spreads over nodes that share the partitions: a calculation, checked by a simulation with the real hash.
// Usage: npm run bench:partitions [-- --sessions N --users N --nodes N --events N]
import { parseArgs } from 'node:util'
import { open } from '../dist/index.js'
import { PARTITIONS, partitionOf } from '../src/domain/partition.ts'
import { createWorkspace } from './workspace.ts'

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000000000' },
    users: { type: 'string', default: '10000000' },
    nodes: { type: 'string', default: '64' },
    events: { type: 'string', default: '200' },
  },
})
const [sessions, users, nodes, events] = [values.sessions, values.users, values.nodes, values.events].map(Number) as [
  number,
  number,
  number,
  number,
]

/** Sessions that are written to measure the room of one. */
const SAMPLE = 400

const shown = (value: number, unit = '') => `${value.toLocaleString('en', { maximumFractionDigits: 2 })}${unit}`
const TB = 1e12

const bytes = await bytesPerSession()
const total = sessions * bytes
console.log(
  `measured: a session of ${events} events of 500 bytes takes ${shown(bytes / 1000)} kB with its indexes (${shown(bytes / events)} bytes an event)`,
)
console.log(
  `${shown(sessions)} sessions: ${shown(total / TB)} TB, on average ${shown(total / nodes / TB)} TB on each of ${nodes} nodes\n`,
)
console.log('exponent | busiest user | busiest node, calculated | simulated: least, busiest | without the busiest user')
for (const exponent of [0, 0.6, 0.8, 1, 1.2]) console.log(describe(exponent))

/** Writes sample sessions of many users into a real database and measures its tables. */
async function bytesPerSession(): Promise<number> {
  const places = createWorkspace()
  try {
    const databases = await places.postgres()
    const url = await databases.served()
    const empty = await databases.size(url)
    const tl = await open({ url, index: false })
    const content = 'a message that an agent would write '.repeat(14).slice(0, 500)
    for (let n = 0; n < SAMPLE; n++) {
      const session = await tl.sessions.create({ userId: `user-${n}` })
      const all = Array.from({ length: events - 1 }, () => ({ type: 'user_message' as const, content }))
      for (let i = 0; i < all.length; i += 50) await session.append(all.slice(i, i + 50))
    }
    await tl.close()
    return ((await databases.size(url)) - empty) / SAMPLE
  } finally {
    await places.close()
  }
}

/** Users with shares by Zipf's law: the k-th has a share of k^-exponent. */
function describe(exponent: number): string {
  const shares = new Float64Array(users)
  let sum = 0
  for (let n = 0; n < users; n++) {
    shares[n] = (n + 1) ** -exponent
    sum += shares[n] as number
  }
  const byPartition = new Float64Array(PARTITIONS)
  let squares = 0
  for (let n = 0; n < users; n++) {
    const share = (shares[n] as number) / sum
    squares += share * share
    const partition = partitionOf('local', `user-${n}`)
    byPartition[partition] = (byPartition[partition] as number) + share
  }
  const [busiestUser, second] = [(shares[0] as number) / sum, (shares[1] as number) / sum]
  const expected = busiestNode(squares, 1, busiestUser)
  const expectedRest = busiestNode(squares - busiestUser * busiestUser, 1 - busiestUser, second)
  const loads = new Float64Array(nodes)
  byPartition.forEach((share, partition) => {
    loads[partition % nodes] = (loads[partition % nodes] as number) + share * nodes
  })
  const sorted = loads.toSorted()
  const moved = loads.slice()
  const home = partitionOf('local', 'user-0') % nodes
  moved[home] = (moved[home] as number) - busiestUser * nodes
  return [
    `${exponent}`,
    `${shown(busiestUser * 100, ' %')} of all, ${shown((busiestUser * total) / TB)} TB`,
    `${shown(expected)} × average, ${shown((expected * total) / nodes / TB)} TB`,
    `${shown(sorted[0] as number)} and ${shown(sorted.at(-1) as number)} × average`,
    `${shown(Math.max(...moved))} × average (calculated ${shown(expectedRest)})`,
  ].join(' | ')
}

/**
 * The load of the busiest node as a multiple of the average: where the busiest user is, or where a normal distribution
 * of the nodes has its maximum. `all` is the share of all users, `squares` the sum of the squares of their shares.
 */
function busiestNode(squares: number, all: number, busiest: number): number {
  const deviation = Math.sqrt(squares * (1 / nodes) * (1 - 1 / nodes)) * nodes
  return Math.max(all + deviation * largestOf(nodes), busiest * nodes + all - busiest)
}

/** Expected maximum of so many standard normal values. */
function largestOf(count: number): number {
  const log = Math.sqrt(2 * Math.log(count))
  return log - (Math.log(Math.log(count)) + Math.log(4 * Math.PI)) / (2 * log)
}
