import type { AddressInfo, Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ValidationError } from '../domain/errors.ts'

/** A listening server. */
export interface Listening {
  readonly url: string
  /**
   * Accepts no more connections, closes each when it is idle, and cuts off the rest after the timeout.
   * @param settled resolves when no request is in progress
   */
  stop(settled: Promise<void>, timeoutMs: number): Promise<void>
}

/** Milliseconds between checks for idle connections. */
const TIDY = 20

/**
 * Listens, or throws an error that says why it cannot.
 *
 * @param most connections; the next one closes those that are idle, and is closed itself if none is
 */
export async function listen(
  app: FastifyInstance,
  address: { port: number; host: string },
  most: number,
): Promise<Listening> {
  const sockets = new Set<Socket>()
  const closeIdle = () => {
    app.server.closeIdleConnections()
    // Node does not count a connection without any request as idle
    for (const socket of sockets) {
      if (socket.bytesRead === 0) socket.destroy()
      if (socket.destroyed) sockets.delete(socket)
    }
  }
  app.server.on('connection', (socket: Socket) => {
    if (sockets.size >= most) closeIdle()
    if (sockets.size >= most) {
      socket.destroy()
      return
    }
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await listening(app, address)
  return {
    url: urlOf(app, address.host),
    async stop(settled, timeoutMs) {
      let cut: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        cut = setTimeout(() => {
          app.server.closeAllConnections()
          resolve()
        }, timeoutMs)
      })
      // a connection whose last response was sent after the stop began would be kept alive
      const tidy = setInterval(closeIdle, TIDY)
      try {
        await app.close()
        await Promise.race([settled, late])
      } finally {
        clearTimeout(cut)
        clearInterval(tidy)
      }
    },
  }
}

async function listening(app: FastifyInstance, { port, host }: { port: number; host: string }): Promise<void> {
  try {
    await app.listen({ port, host })
  } catch (cause) {
    const { code } = cause as { code?: string }
    if (code === 'EADDRINUSE')
      throw new ValidationError('port', `${port} is in use: choose another, or 0 for a free one`)
    if (code === 'EACCES') throw new ValidationError('port', `${port} needs privileges that this process does not have`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new ValidationError('host', 'must be an address of this machine', { cause })
    }
    throw cause
  }
}

function urlOf(app: FastifyInstance, host: string): string {
  const { port } = app.server.address() as AddressInfo
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}
