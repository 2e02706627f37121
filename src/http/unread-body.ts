import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Milliseconds that a client has to finish a body that nobody reads, so that it sees the response. */
const LINGER = 1000

/**
 * Invites no body before its caller is admitted. What still arrives after the response is thrown away, and the
 * connection is dropped if the body does not end soon. Closed at once, it would break before the client, which is busy
 * sending, has read why it was refused.
 */
export function cutUnreadBodies(app: FastifyInstance): void {
  // without a listener Node invites the body before any hook runs
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    app.server.emit('request', request, response)
  })
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    // with this header Node closes the connection right after the response
    if (hasBody(raw) && !raw.complete) reply.removeHeader('connection')
    done()
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete) {
      raw.resume()
      setTimeout(() => raw.complete || raw.socket.destroy(), LINGER).unref()
    }
    done()
  })
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Whether the client waits for an invitation before it sends its body. */
export function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return httpVersionMinor > 0 && headers.expect?.toLowerCase() === '100-continue'
}
