import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { AppParts } from './app.ts'
import { landingPage } from './landing-page.ts'

/** What anyone may ask who reaches the server: nothing of it says anything of a session. */
export function openRoutes(app: FastifyInstance, { deps, registry, version, stopping }: AppParts): void {
  app.get('/healthz', { schema: open('healthz', 'Whether the process lives', alive) }, async () => ({ ok: true }))
  app.get('/readyz', { schema: open('readyz', 'Whether the store answers', ready) }, async (_request, reply) => {
    if (stopping.aborted) return reply.code(503).send({ ready: false, reason: 'the server is stopping' })
    try {
      await deps.store.health()
      return { ready: true }
    } catch {
      return reply.code(503).send({ ready: false, reason: 'the store does not answer' })
    }
  })
  app.get('/metrics', { schema: open('metrics', 'Figures for Prometheus', text) }, async (_request, reply) =>
    reply.header('content-type', registry.contentType).send(await registry.metrics()),
  )
  app.get('/openapi.json', { schema: open('openapi', 'This document', json) }, async () => app.swagger())
  app.get('/', { schema: open('page', 'A page for people', html) }, async (_request, reply) =>
    reply.header('content-type', 'text/html; charset=utf-8').send(landingPage(version)),
  )
}

const of = (type: string, schema: z.ZodType) => ({ content: { [type]: { schema } } })

const alive = { 200: of('application/json', z.strictObject({ ok: z.literal(true) })) }
const ready = {
  200: of('application/json', z.strictObject({ ready: z.literal(true) })),
  503: of('application/json', z.strictObject({ ready: z.literal(false), reason: z.string() })),
}
const text = { 200: of('text/plain', z.string()) }
const html = { 200: of('text/html', z.string()) }
const json = { 200: of('application/json', z.looseObject({})) }

function open(operationId: string, summary: string, answers: Record<number, { content: object }>) {
  const response = Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [status, { description: summary, ...answer }]),
  )
  return { operationId, summary, tags: ['server'], security: [], response }
}
