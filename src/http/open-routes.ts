import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type Json, stringifyJson } from '../domain/json.ts'
import type { AppParts } from './app.ts'
import { coalesced } from './coalesced.ts'
import { readinessOf } from './readiness.ts'

/** Milliseconds for which the figures count. */
const FRESH = 1000

/** Routes without authentication: none of them reveals anything about a session. */
export function openRoutes(app: FastifyInstance, { deps, registry, metrics, stopping }: AppParts): void {
  const isReady = readinessOf(deps, metrics)
  const figures = coalesced(async () => {
    await isReady()
    return await registry.metrics()
  }, FRESH)
  let document: string | undefined
  app.get('/healthz', { schema: openSchema('healthz', 'Whether the process lives', alive) }, async () => ({ ok: true }))
  app.get(
    '/readyz',
    { schema: openSchema('readyz', 'Whether the store takes writes', ready) },
    async (_request, reply) => {
      if (stopping.aborted) return reply.code(503).send({ ready: false, reason: 'the server is stopping' })
      if (await isReady()) return { ready: true }
      return reply.code(503).send({ ready: false, reason: 'the store does not respond' })
    },
  )
  app.get('/metrics', { schema: openSchema('metrics', 'Figures for Prometheus', text) }, async (_request, reply) =>
    reply.header('content-type', registry.contentType).send(await figures()),
  )
  app.get('/openapi.json', { schema: openSchema('openapi', 'This document', json) }, async (_request, reply) => {
    document ??= stringifyJson(app.swagger() as unknown as Json)
    return reply.header('content-type', 'application/json; charset=utf-8').send(document)
  })
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
