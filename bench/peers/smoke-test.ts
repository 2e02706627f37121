import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import pg from 'pg'
import { postgresPrograms, startPostgres } from '../../test/servers/postgres.ts'
import type { Entrant } from '../contender.ts'
import { message } from '../load.ts'
import { PEERS } from './index.ts'
import { peerVersions } from './versions.ts'

/**
 * Does a little of everything with every peer, or with those whose name has the given words in it; not a measurement.
 */
async function attempt(entrant: Entrant, target: string): Promise<Record<string, unknown>> {
  const peer = await entrant.open(target, { connections: 4 })
  try {
    const session = await peer.create()
    let failed = 0
    await Promise.all(
      [0, 1, 2, 3].map(async (writer) => {
        for (let i = 0; i < 5; i++) {
          const content = `${writer}.${i} ${message(i).content}`
          await peer.append(session, { ...message(i), content }).catch(() => failed++)
        }
      }),
    )
    const marks = (await peer.contents(session)).map((content) => content.slice(0, 3))
    const disordered = marks.filter((mark, i) =>
      marks.slice(0, i).some((other) => other[0] === mark[0] && other > mark),
    )
    const long = await peer.create()
    await peer.fill(
      long,
      Array.from({ length: 1200 }, (_, i) => message(i)),
    )
    await peer.append(long, { ...message(0), content: 'the last' })
    const recent = await peer.recent(long)
    await peer.update?.(session, 7)
    await peer.populate?.(1000)
    return {
      kept: marks.length,
      failed,
      disordered: disordered.length,
      filled: (await peer.contents(long)).length,
      recent: recent.length,
      newest: inspect(recent.at(-1), { depth: 9 }).includes('the last'),
      state: JSON.stringify(await peer.state?.(session)),
      record: (await peer.record?.(session)) !== undefined,
      list: (await peer.list?.())?.length,
    }
  } finally {
    await peer.close()
  }
}

/** A database of its own on the server, as each peer gets in a measurement. */
async function database(url: string, name: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

const words = process.argv[2] ?? ''
const folder = mkdtempSync(join(tmpdir(), 'throughline-peers-'))
const programs = postgresPrograms()[0]
const wanted = (entrants: Entrant[]) => entrants.filter(({ name }) => name.includes(words))
const server = programs && wanted(PEERS.postgres).length > 0 ? await startPostgres(programs, true) : undefined
const results: Record<string, Record<string, unknown>> = {}

async function attempts(entrants: Entrant[], targetOf: (name: string) => Promise<string>): Promise<void> {
  for (const entrant of wanted(entrants)) {
    const target = await targetOf(`peer_${Object.keys(results).length}`)
    results[entrant.name] = await attempt(entrant, target).catch((error: Error) => ({ error: error.message }))
  }
}

try {
  await attempts(PEERS.memory, async () => '')
  await attempts(PEERS.sqlite, async (name) => join(folder, `${name}.db`))
  await attempts(PEERS.postgres, async (name) => (server ? await database(server.url, name) : ''))
} finally {
  await server?.stop()
  rmSync(folder, { recursive: true })
}
console.table(peerVersions())
console.table(results)
