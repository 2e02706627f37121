import { createServer } from 'node:net'
import type { Node } from './node-connection.ts'
import { RoutedConnection, type Routing } from './routed-connection.ts'

/** A server that looks like one Postgres, but keeps partitions in separate databases. */
export interface PartitionRouter {
  port: number
  /** Number of calls with a partition that each node got. */
  calls(): number[]
  /** Reason of each refusal. A call is refused if it names no partition, or needs more than one round trip. */
  refused: string[]
  close(): Promise<void>
}

export interface PartitionRouterOptions {
  /** Databases that need no password. */
  nodes: readonly Node[]
  /** Index of the node that holds a partition. */
  nodeOf(partition: number): number
}

/** Starts one on loopback and a free port. It replaces the name of the database that a client asks for. */
export async function startPartitionRouter({ nodes, nodeOf }: PartitionRouterOptions): Promise<PartitionRouter> {
  const routing: Routing = { nodes, nodeOf, calls: nodes.map(() => 0), refused: [], sockets: new Set() }
  const server = createServer({ noDelay: true }, (client) => void new RoutedConnection(client, routing))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    calls: () => [...routing.calls],
    refused: routing.refused,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of routing.sockets) socket.destroy()
      await closed
    },
  }
}
