import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { RateLimitedError } from '../domain/errors.ts'

/** Milliseconds that a connection beyond the limit stays open, in which a request on it gets a response. */
const LINGER = 1000

/** Refuses requests on connections beyond the limit of their address, and closes these connections. */
export function limitAddresses(app: FastifyInstance, most: number): void {
  const open = new Map<string, number>()
  const surplus = new WeakSet<Socket>()
  app.server.on('connection', (socket: Socket) => {
    const from = networkOf(socket.remoteAddress ?? '')
    const count = open.get(from) ?? 0
    if (count >= most) {
      surplus.add(socket)
      setTimeout(() => socket.destroy(), LINGER).unref()
      return
    }
    open.set(from, count + 1)
    socket.once('close', () => {
      const left = (open.get(from) ?? 1) - 1
      if (left > 0) open.set(from, left)
      else open.delete(from)
    })
  })
  app.addHook('onRequest', ({ raw }, reply, done) => {
    if (!surplus.has(raw.socket)) {
      done()
      return
    }
    void reply.header('connection', 'close')
    done(new RateLimitedError({ limit: 'connectionsPerAddress', retryAfter: 1 }))
  })
}

/** The address, or the first half of an IPv6 address: a host usually has all addresses of such a network. */
export function networkOf(address: string): string {
  const [, v4] = /^::ffff:([\d.]+)$/i.exec(address) ?? []
  if (v4 !== undefined || !address.includes(':')) return v4 ?? address
  const [before = '', after] = address.split('::')
  const [left, right] = [before, after ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = after === undefined ? [] : Array<string>(8 - (left?.length ?? 0) - (right?.length ?? 0)).fill('0')
  return [...(left ?? []), ...zeros, ...(right ?? [])].slice(0, 4).join(':')
}
