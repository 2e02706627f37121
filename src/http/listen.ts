import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ValidationError } from '../domain/errors.ts'

/** Listens, and gives the URL where it does. */
export async function listen(app: FastifyInstance, { port, host }: { port: number; host: string }): Promise<string> {
  try {
    await app.listen({ port, host })
    return urlOf(app, host)
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

/** Ends streams at once, waits for what is being worked on, and after the time is up cuts the rest off. */
export async function stop(app: FastifyInstance, stopping: AbortController, timeoutMs: number): Promise<void> {
  stopping.abort()
  const cut = setTimeout(() => app.server.closeAllConnections(), timeoutMs)
  // a connection whose last answer went out after the stop began would be kept for the next request
  const tidy = setInterval(() => app.server.closeIdleConnections(), 20)
  try {
    await app.close()
  } finally {
    clearTimeout(cut)
    clearInterval(tidy)
  }
}
