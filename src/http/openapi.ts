import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod'
import type { OpenAPIV3_1 } from 'openapi-types'
import { z } from 'zod'
import { ERROR_CODES, type ErrorCode } from '../domain/errors.ts'
import { observationInput } from '../features/work/schema.ts'
import { STATUS } from './error-response.ts'
import type { Route } from './route.ts'

const ABOUT = `Sessions of AI agents: one append-only log each, with views on top. Every write takes the header \`Idempotency-Key\`: the same key with the same
input writes once, and gets the same response each time. Errors are problems of RFC 9457 with a \`code\`.`

/** Codes that every route may return. */
const ANYWHERE: readonly ErrorCode[] = [
  'VALIDATION',
  'UNAUTHENTICATED',
  'TOO_LARGE',
  'INTERNAL',
  'STORAGE',
  'UNAVAILABLE',
  'RATE_LIMITED',
]

/** The schema of a problem response. */
export const problem = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(ERROR_CODES),
    detail: z.string(),
    details: z.record(z.string(), z.union([z.string(), z.number()])),
    instance: z.string().meta({ description: 'Request id, as in the server log.' }),
  })
  .meta({ id: 'Problem' })

/** Collects the OpenAPI document of all routes mounted after it. */
export async function describeRoutes(app: FastifyInstance, version: string): Promise<void> {
  const zodToJsonConfig = { unrepresentable: 'any' } as const
  const named = createJsonSchemaTransformObject({ zodToJsonConfig })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Throughline', version, description: ABOUT, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/' }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
      security: [{ token: [] }],
    },
    transform: createJsonSchemaTransform({ zodToJsonConfig }),
    transformObject: (document) => pruned(withOptionalBodies(named(document) as Document)),
  })
}

type Document = OpenAPIV3_1.Document

/** A body is optional if all of its fields are. */
function withOptionalBodies(document: Document): Document {
  for (const path of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(path ?? {})) {
      const { requestBody } = operation as { requestBody?: OpenAPIV3_1.RequestBodyObject }
      const schema = requestBody?.content['application/json']?.schema as OpenAPIV3_1.SchemaObject | undefined
      if (schema?.properties !== undefined && schema.required === undefined) delete requestBody?.required
    }
  }
  return document
}

/** Removes unused schemas: each exists for requests and for responses. */
function pruned(document: Document): Document {
  const { schemas = {} } = document.components ?? {}
  const namesIn = (value: unknown) =>
    Array.from(JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g), ([, name]) => name as string)
  const used = new Set(namesIn(document.paths))
  for (const name of used) for (const inner of namesIn(schemas[name] ?? {})) used.add(inner)
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
  return { ...document, components: { ...document.components, schemas: kept } }
}

type Refusing = Pick<Route, 'errors' | 'stream' | 'long' | 'waits' | 'storeless'>

/** The problem responses of a route. */
export function codesOf({ errors = [], stream, long, waits, storeless }: Refusing): ErrorCode[] {
  const isStream = [stream, long, waits].includes(true)
  const codes = [...ANYWHERE, ...(isStream ? ['TOO_MANY_STREAMS' as const] : []), ...errors]
  return storeless === true ? codes.filter((code) => code !== 'STORAGE') : codes
}

/** The route's entry in the document. */
export function documented(route: Route): FastifySchema {
  const { operation, summary, path, query, method } = route
  const body = bodyOf(route)
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  return {
    operationId: operation,
    summary,
    tags: [path.split('/')[1] ?? ''],
    ...(names.length > 0 && { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }),
    ...(query !== undefined && { querystring: query }),
    ...(method !== 'GET' && { headers: WRITE_HEADERS }),
    ...(body !== undefined && { body }),
    response: { ...successResponses(route), ...problemsOf(route) },
  } as FastifySchema
}

const WRITE_HEADERS = z.object({ 'idempotency-key': z.string().optional() })

function bodyOf({ body, work }: Route): z.core.$ZodType | undefined {
  if (work === undefined || !(body instanceof z.core.$ZodObject)) return body
  const list = z.array(observationInput())
  return z.util.extend(body, { observations: z.optional(work === 'session' ? list : z.record(z.string(), list)) })
}

function successResponses({ response, mayBeEmpty, status, stream, long, summary }: Route) {
  const nothing = z.null().meta({ description: 'Nothing' })
  if (response === undefined) return { 204: nothing }
  const schema = { schema: response }
  const content = {
    ...(stream !== true && { 'application/json': schema }),
    ...((stream ?? long) === true && { 'text/event-stream': { schema: eventsOf(response, stream === true) } }),
  }
  return { [status ?? 200]: { description: summary, content }, ...(mayBeEmpty === true && { 204: nothing }) }
}

/** Describes a stream in words, since no schema can. */
function eventsOf(response: z.core.$ZodType, isStream: boolean): z.ZodType {
  const description = isStream
    ? `Server-sent events: the data of each is a ${z.globalRegistry.get(response)?.id}, as JSON. At the end comes an event named end, or problem with a Problem.`
    : 'Server-sent events: progress as often as there is some, then result with what else were the body, or problem with a Problem.'
  return z.string().meta({ description })
}

/** The problem responses of a route in the document. */
export function problemsOf(route: Refusing) {
  const codes = codesOf(route)
  const statuses = [...new Set(codes.map((code) => STATUS[code]))].toSorted()
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: codes.filter((code) => STATUS[code] === status).join(', '),
        content: { 'application/problem+json': { schema: problem } },
      },
    ]),
  )
}
