import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { AppParts } from './app.ts'

/** Routes without authentication: none of them reveals anything about a session. */
export function openRoutes(app: FastifyInstance, { deps, registry, stopping }: AppParts): void {
  app.get('/healthz', { schema: openSchema('healthz', 'Whether the process lives', alive) }, async () => ({ ok: true }))
  app.get(
    '/readyz',
    { schema: openSchema('readyz', 'Whether the store takes writes', ready) },
    async (_request, reply) => {
      if (stopping.aborted) return reply.code(503).send({ ready: false, reason: 'the server is stopping' })
      try {
        await deps.store.health()
        return { ready: true }
      } catch {
        return reply.code(503).send({ ready: false, reason: 'the store does not respond' })
      }
    },
  )
  app.get('/metrics', { schema: openSchema('metrics', 'Figures for Prometheus', text) }, async (_request, reply) =>
    reply.header('content-type', registry.contentType).send(await registry.metrics()),
  )
  app.get('/openapi.json', { schema: openSchema('openapi', 'This document', json) }, async () => app.swagger())
}

/** A response body in OpenAPI. */
export const textAs = (type: string, schema: z.ZodType) => ({ content: { [type]: { schema } } })

const alive = { 200: textAs('application/json', z.strictObject({ ok: z.literal(true) })) }
const ready = {
  200: textAs('application/json', z.strictObject({ ready: z.literal(true) })),
  503: textAs('application/json', z.strictObject({ ready: z.literal(false), reason: z.string() })),
}
const text = { 200: textAs('text/plain', z.string()) }
const json = { 200: textAs('application/json', z.looseObject({})) }

/** The OpenAPI entry of a route without authentication. */
export function openSchema(operationId: string, summary: string, responses: Record<number, { content: object }>) {
  const response = Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [status, { description: summary, ...response }]),
  )
  return { operationId, summary, tags: ['server'], security: [], response }
}
