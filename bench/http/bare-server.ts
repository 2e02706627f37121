// A bare route of the same framework: parses the same body, returns a fixed response, checks and stores nothing.
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'

const app = fastify()
const event = (body: object) => ({ id: '0', sessionId: '0', sequence: 1, ...body, createdAt: new Date().toISOString() })
let last: { events: object[]; record: object } = { events: [], record: {} }
app.post('/v1/sessions/:id/events', async (request, reply) =>
  reply.code(201).send({ items: [event(request.body as object)] }),
)
app.post('/keep', async (request) => {
  last = request.body as typeof last
  return {}
})
// the response of a read is built once, and serialized each time
app.get('/v1/sessions/:id/recent', async () => ({ events: last.events, dangling: [] }))
app.get('/v1/sessions/:id', async () => last.record)
await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` })
process.once('disconnect', () => process.exit())
