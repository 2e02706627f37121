import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { amount, isProving, printFigure } from '../proof.ts'
import { startChild } from '../servers/child-process.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { tokenOf } from '../servers/http.ts'
import type { FullLoad, LoadReport } from './full-load.ts'
import type { OrdinaryCalls, OrdinaryTimes } from './ordinary-calls.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { send } from './target.ts'

/** Ordinary calls of each of three kinds. */
const CALLS = amount(10, 40)
/** Each with a server and a store of its own: other work on the machine comes and goes. */
const ROUNDS = amount(1, 5)
/** Sessions of the loud tenant. */
const SESSIONS = amount(20, 200)
/** More than the half of 1,000 that one tenant may have. */
const LOAD = { callsAtOnce: 150, bodies: 20, streams: 50 }
/**
 * The quiet caller sends as fast as it can, and the loud one must not be slowed down by its rate. A stop does not wait
 * for the long work of the loud one.
 */
const LIMITS = 'requestsPerSecond=100000,requestsPerSecondPerCaller=100000,stopTimeoutMs=100'

interface Store {
  url: string
  close(): Promise<void>
}

const STORES: [name: string, open: () => Promise<Store>][] = [
  [
    'SQLite',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'throughline-'))
      return { url: `sqlite:${join(folder, 'sessions.db')}`, close: async () => rmSync(folder, { recursive: true }) }
    },
  ],
  [
    'Postgres',
    async () => {
      const databases = await databasesOf(inject('postgres')[0]?.url ?? '')
      const database = await databases.recycled()
      const close = async () => {
        await database.destroy()
        await databases.close()
      }
      return { url: database.url(SERVING), close }
    },
  ],
]

interface User {
  token: string
  session: string
}

async function user(server: ServerProcess, tenant: string, sub: string, scope?: string): Promise<User> {
  const token = await tokenOf({ tenant, sub, scope })
  const { body } = await send(server.url, 'POST', '/v1/sessions', { token, body: { userId: sub } })
  return { token, session: (body as { id: string }).id }
}

/** Ordinary calls from a process of their own. */
async function ordinary(given: OrdinaryCalls): Promise<OrdinaryTimes> {
  const { lines } = await startChild(new URL('ordinary-calls.ts', import.meta.url), given).done
  return lines[0] as OrdinaryTimes
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0
}

const median = (values: readonly number[]) => percentile(values, 0.5)

/** Medians of all rounds, and their ratio. */
function compared(what: string, idle: readonly number[][], loaded: readonly number[][]): string {
  const parts = [0.5, 0.99].map((part) => {
    const [before, during] = [idle, loaded].map((rounds) => median(rounds.map((one) => percentile(one, part)))) as [
      number,
      number,
    ]
    const ratio = (during / before).toFixed(1)
    return `p${part * 100} ${during.toFixed(1)} ms, idle ${before.toFixed(1)} ms: ${ratio} times`
  })
  return `${what}: ${parts.join('; ')}`
}

interface Round {
  idle: OrdinaryTimes
  loaded: OrdinaryTimes
  load: LoadReport
}

/** Ordinary calls to an idle server, and then next to a tenant at full load. */
async function round(open: () => Promise<Store>): Promise<Round> {
  const store = await open()
  const server = await startServerProcess(store.url, '--log', 'silent', '--limits', LIMITS)
  const quiet = await user(server, 'globex', 'eve')
  const users = await Promise.all(['ada', 'bob', 'cyd', 'dan'].map((sub) => user(server, 'acme', sub, 'sessions:any')))
  const token = users[0]?.token ?? ''
  for (let i = 0; i < SESSIONS; i++) {
    await send(server.url, 'POST', '/v1/sessions', { token, body: { userId: 'ada', chatmode: `mode ${i}` } })
  }
  const calls = { url: server.url, pid: server.pid, ...quiet, count: CALLS }
  const full: FullLoad = { url: server.url, users, ...LOAD }
  const idle = await ordinary(calls)
  const neighbour = startChild(new URL('full-load.ts', import.meta.url), full)
  await neighbour.printed(1)
  const loaded = await ordinary(calls)
  neighbour.go()
  const load = (await neighbour.done).lines.at(-1) as LoadReport
  expect(await server.stop()).toBe(0)
  await store.close()
  return { idle, loaded, load }
}

function printFigures(name: string, rounds: readonly Round[], refused: number): void {
  const all = rounds.flatMap(({ load }) => Object.values(load.statuses)).reduce((sum, count) => sum + count, 0)
  const count = rounds.length * CALLS * 3
  printFigure(`${name}: ${count} calls next to a tenant at full load (${all} calls, ${refused} refused): none refused`)
  for (const [what, key] of [
    ['time', 'wall'],
    ['CPU time of the server meanwhile', 'cpu'],
  ] as const) {
    const [idle, loaded] = (['idle', 'loaded'] as const).map((when) => rounds.map((one) => one[when][key]))
    printFigure(`${name}: ${compared(what, idle ?? [], loaded ?? [])}`)
  }
}

describe.each(STORES)('on %s', (name, open) => {
  it('a tenant at full load gets none of the calls of another tenant refused', async () => {
    const rounds: Round[] = []
    for (let i = 0; i < ROUNDS; i++) rounds.push(await round(open))
    for (const { idle, loaded } of rounds) {
      for (const { statuses } of [idle, loaded]) expect(statuses).toEqual({ 200: 2 * CALLS, 201: CALLS })
    }
    const total = (status: number) => rounds.reduce((sum, { load }) => sum + (load.statuses[status] ?? 0), 0)
    expect(total(429)).toBeGreaterThan(0)
    // the server refuses only what is beyond the share, and never is out of room itself
    expect([total(500), total(503)]).toEqual([0, 0])
    if (isProving) printFigures(name, rounds, total(429))
  }, 600_000)
})
