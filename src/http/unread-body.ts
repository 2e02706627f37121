import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Milliseconds that a client has to finish a body that nobody reads, so that it sees the response. */
const LINGER = 1000

/** Invites no body before its caller is admitted, and drops connections that go on sending one after the response. */
export function cutUnreadBodies(app: FastifyInstance): void {
  // without a listener Node invites the body before any hook runs
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    app.server.emit('request', request, response)
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete) setTimeout(() => raw.complete || raw.socket.destroy(), LINGER).unref()
    done()
  })
}

/** Whether the client waits for an invitation before it sends its body. */
export function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return httpVersionMinor > 0 && headers.expect?.toLowerCase() === '100-continue'
}
