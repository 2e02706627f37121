import type { AddressInfo, Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ValidationError } from '../domain/errors.ts'

/** A server that listens. */
export interface Listening {
  readonly url: string
  /**
   * Takes no more connections, and closes each as soon as nothing is asked on it; cuts the rest off when the time is up.
   * @param settled resolves when nothing is worked on any more
   */
  stop(settled: Promise<void>, timeoutMs: number): Promise<void>
}

/** Milliseconds between looks for connections that nobody uses any more. */
const TIDY = 20

/** Listens, or says why it cannot. */
export async function listen(app: FastifyInstance, address: { port: number; host: string }): Promise<Listening> {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
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
      const tidy = setInterval(() => {
        // a connection whose last answer went out after the stop began would be kept for the next request
        app.server.closeIdleConnections()
        // one that has not asked for anything yet does not count as idle there
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      }, TIDY)
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
    if (code === 'EADDRINUSE') throw new ValidationError('port', `${port} is taken: name another, or 0 for a free one`)
    if (code === 'EACCES') throw new ValidationError('port', `${port} needs rights that this process does not have`)
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
