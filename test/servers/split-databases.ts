import { databasesOf, type RecycledDatabase } from './database.ts'
import { type PartitionRouter, startPartitionRouter } from './partition-router.ts'
import { PARTITIONS } from './partition-rules.ts'
import { databaseUrl } from './template-database.ts'

/** Pairs of databases of one server, each behind a router that sends even partitions to one and odd to the other. */
export interface SplitDatabases {
  /** Empties and reuses a pair of earlier tests. `destroy` returns it. */
  recycled(): Promise<SplitDatabase>
  /** Reasons of all calls that the routers refused. */
  refused(): string[]
  close(): Promise<void>
}

export interface SplitDatabase {
  /** URL of the router for a role. */
  url(role: string): string
  /** Runs statements as the superuser in both databases. @returns the rows of both */
  admin(sql: string): Promise<Record<string, unknown>[]>
  /** Number of calls with a partition that each database got, in earlier tests too. */
  calls(): number[]
  destroy(): Promise<void>
}

/** `url` is that of the server for its superuser. */
export async function splitDatabasesOf(url: string): Promise<SplitDatabases> {
  const databases = await databasesOf(url)
  const pairs: Pair[] = []
  const free: Pair[] = []

  async function create(): Promise<Pair> {
    const both = [await databases.recycled(), await databases.recycled()]
    for (const { admin } of both) await admin(SPLIT_PARTITIONS)
    const nodes = both.map((database) => {
      const { hostname, port, pathname } = new URL(database.url())
      return { host: hostname, port: Number(port), database: pathname.slice(1) }
    })
    const pair = { both, router: await startPartitionRouter({ nodes, nodeOf: (partition) => partition % both.length }) }
    pairs.push(pair)
    return pair
  }

  return {
    async recycled() {
      const pair = free.pop() ?? (await create())
      const { both, router } = pair
      return {
        url: (role) => databaseUrl(`postgres://127.0.0.1:${router.port}`, 'split', role),
        admin: async (sql) => (await Promise.all(both.map(({ admin }) => admin(sql)))).flat(),
        calls: router.calls,
        async destroy() {
          await Promise.all(both.map(({ empty }) => empty()))
          free.push(pair)
        },
      }
    },
    refused: () => pairs.flatMap(({ router }) => router.refused),
    async close() {
      for (const { both, router } of pairs) {
        await router.close()
        for (const { destroy } of both) await destroy()
      }
      await databases.close()
    },
  }
}

interface Pair {
  both: RecycledDatabase[]
  router: PartitionRouter
}

/** Tells the store which partitions share a database. Replacing the function keeps its owner and grants. */
const SPLIT_PARTITIONS = `
  create or replace function context.partition_groups() returns table (partitions smallint[]) language sql stable as $$
    select array_agg(p::smallint order by p) from generate_series(0, ${PARTITIONS - 1}) p group by p % 2 order by p % 2
  $$;
  grant execute on function context.partition_groups() to throughline_app`
