import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './postgres.ts'

/** Where a connection is cut: before a request reaches the server, or before a reply reaches the client. */
export type Direction = 'request' | 'reply'

/** A proxy between clients and a server on loopback that simulates network failures. */
export interface FaultyNetwork {
  port: number
  /** Cuts a connection at the n-th chunk from now that goes this way. Resolves with the chunk that did not arrive. */
  cutAt(direction: Direction, n: number): Promise<Buffer>
  /** Stops all traffic without closing connections; with `established`, new connections still work. */
  hang(which?: 'established'): void
  /** Resumes the traffic, including held bytes. */
  resume(): void
  /** Sends new connections to another server; the others stay. */
  moveTo(port: number): void
  stop(): Promise<void>
}

export async function startFaultyNetwork(first: number): Promise<FaultyNetwork> {
  let target = first
  const sockets = new Set<Socket>()
  const cuts = new Map<Direction, { left: number; done(chunk: Buffer): void }>()
  let hanging = false

  /** Whether the connection must be cut at this chunk. */
  function cutsHere(direction: Direction, chunk: Buffer): boolean {
    const cut = cuts.get(direction)
    if (cut === undefined || --cut.left > 0) return false
    cuts.delete(direction)
    cut.done(chunk)
    return true
  }

  function forward(from: Socket, to: Socket, direction: Direction): void {
    sockets.add(from)
    if (hanging) from.pause()
    from.on('data', (chunk: Buffer) => {
      if (!cutsHere(direction, chunk)) return void to.write(chunk)
      // half of the cuts look like a reset, half like an orderly end
      if (Math.random() < 0.5) to.resetAndDestroy()
      else to.destroy()
      from.destroy()
    })
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      to.end()
    })
  }

  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    forward(client, upstream, 'request')
    forward(upstream, client, 'reply')
  })
  const port = await freePort()
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port,
    cutAt(direction, n) {
      return new Promise((resolve) => {
        cuts.set(direction, { left: n, done: resolve })
      })
    },
    hang(which) {
      hanging = which === undefined
      for (const socket of sockets) socket.pause()
    },
    resume() {
      hanging = false
      for (const socket of sockets) socket.resume()
    },
    moveTo(other) {
      target = other
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
