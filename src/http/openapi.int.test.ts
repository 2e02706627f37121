import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { FastifyInstance } from 'fastify'
import type { OpenAPIV3_1 } from 'openapi-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../test/servers/http.ts'
import { ERROR_CODES, type ErrorCode } from '../domain/errors.ts'
import type { Server } from '../serve.ts'
import { STATUS } from './error-response.ts'

/** The routes that users were promised, below `/v1`. */
const PROMISED = `
POST /sessions
GET /sessions
GET /sessions/{id}
DELETE /sessions/{id}
POST /sessions/{id}/events
GET /sessions/{id}/events
GET /sessions/{id}/recent
GET /sessions/{id}/stream
GET /sessions/{id}/messages
POST /sessions/{id}/messages
DELETE /sessions/{id}/messages
GET /sessions/{id}/state
PATCH /sessions/{id}/state
PUT /sessions/{id}/state
POST /sessions/{id}/state/add
POST /sessions/{id}/state/increment
GET /sessions/{id}/transitions
POST /sessions/{id}/transitions
POST /sessions/{id}/gates
POST /sessions/{id}/handoff
POST /sessions/{id}/handoff/take
GET /sessions/{id}/envelope
PATCH /sessions/{id}/envelope
POST /sessions/{id}/ask
POST /sessions/{id}/answer
POST /sessions/{id}/interrupt
POST /sessions/{id}/incorporate
POST /sessions/{id}/propose
POST /sessions/{id}/confirm
POST /sessions/{id}/continue
POST /sessions/{id}/abort
POST /sessions/{id}/end
POST /sessions/{id}/steps
GET /sessions/{id}/graph
GET /sessions/{id}/progress
POST /sessions/{id}/compact
POST /sessions/{id}/reduce
POST /sessions/{id}/context
GET /sessions/{id}/at/{sequence}
POST /sessions/{id}/fork
POST /conversations/{id}/messages
POST /conversations/{id}/resume
POST /conversations/{id}/decline
GET /conversations/{id}/commits
GET /sessions/active
POST /memories
GET /memories/search
POST /memories/{id}/corroborate
POST /memories/{id}/contradict
GET /memories/{id}/history
DELETE /memories/{id}
POST /recall
DELETE /users/{id}`

const OUTSIDE = ['/openapi.json', '/metrics', '/healthz', '/readyz', '/']

interface Operation {
  /** As `GET /v1/sessions/{id}`. */
  at: string
  path: string
  is: OpenAPIV3_1.OperationObject
}

/** Routes that the framework was told of, as `GET /v1/sessions/{id}`. */
const mounted: string[] = []
let server: Server
let document: OpenAPIV3_1.Document
let operations: Operation[]

function listen(message: unknown): void {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', ({ method, url }) => {
    // files of the page, for nobody else
    if (url.startsWith('/assets/')) return
    for (const each of [method].flat()) mounted.push(`${each} ${url.replace(/:(\w+)/g, '{$1}')}`)
  })
}

beforeAll(async () => {
  subscribe('fastify.initialization', listen)
  server = await startServer({ url: 'memory:' })
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenAPIV3_1.Document
  operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods ?? {}).map(([method, is]) => {
      return { at: `${method.toUpperCase()} ${path}`, path, is: is as OpenAPIV3_1.OperationObject }
    }),
  )
})

afterAll(async () => {
  unsubscribe('fastify.initialization', listen)
  await server.close()
})

/** Everything in a value that has the key, with the place where it stands. */
function* found(value: unknown, key: string, at = ''): Generator<{ at: string; value: unknown }> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    const place = `${at}/${name}`
    if (name === key) yield { at: place, value: inner }
    yield* found(inner, key, place)
  }
}

describe('the document of the routes', () => {
  it('is OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as never)
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(document.openapi).toBe('3.1.0')
  })

  it('has every route that the server has, and no other', () => {
    expect(operations.map(({ at }) => at).toSorted()).toEqual(mounted.toSorted())
    expect(new Set(mounted).size).toBe(mounted.length)
  })

  it('has every route that was promised', () => {
    const promised = PROMISED.trim()
      .split('\n')
      .map((line) => line.replace(' ', ' /v1'))
    const known = operations.map(({ at }) => at)
    expect([...promised, ...OUTSIDE.map((path) => `GET ${path}`)].filter((at) => !known.includes(at))).toEqual([])
  })

  it('names each operation once, and says what it does', () => {
    const ids = operations.map(({ is }) => is.operationId ?? '')
    expect(new Set(ids).size).toBe(operations.length)
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([])
    expect(operations.filter(({ is }) => !is.summary)).toEqual([])
  })

  it('refers only to what is in it, and has nothing that is not referred to', () => {
    const refs = Array.from(found(document, '$ref'), ({ value }) => String(value))
    const names = Object.keys(document.components?.schemas ?? {}).map((name) => `#/components/schemas/${name}`)
    expect([...new Set(refs)].toSorted()).toEqual(names.toSorted())
  })

  it('has the parameters that are in the path, and no others', () => {
    const inPaths = operations.map(({ at, path }) => [
      at,
      ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name),
    ])
    const told = operations.map(({ at, is }) => {
      const parameters = (is.parameters ?? []) as OpenAPIV3_1.ParameterObject[]
      return [at, ...parameters.filter((one) => one.in === 'path' && one.required).map(({ name }) => name)]
    })
    expect(told).toEqual(inPaths)
  })

  it('asks for a token everywhere below /v1, and nowhere else', () => {
    expect(document.security).toEqual([{ token: [] }])
    const open = operations.filter(({ is }) => is.security !== undefined)
    expect(open.map(({ path, is }) => [path, is.security])).toEqual(
      expect.arrayContaining(OUTSIDE.map((path) => [path, []])),
    )
    expect(open).toHaveLength(OUTSIDE.length)
  })

  it('says of every answer what it is, and of every code its status', () => {
    for (const { at, is } of operations) {
      const answers = Object.entries(is.responses ?? {}) as [string, OpenAPIV3_1.ResponseObject][]
      expect(answers.filter(([, { description }]) => !description).map(([status]) => `${at} ${status}`)).toEqual([])
      const problems = answers.filter(([, { content }]) => content?.['application/problem+json'] !== undefined)
      for (const [status, { description }] of problems) {
        const codes = description.split(', ')
        expect(codes.filter((code) => !ERROR_CODES.includes(code as ErrorCode))).toEqual([])
        expect(codes.map((code) => `${at} ${code} ${STATUS[code as ErrorCode]}`)).toEqual(
          codes.map((code) => `${at} ${code} ${status}`),
        )
      }
    }
  })

  it('says something of all that goes in and comes out', () => {
    const inObjects = [...found(document, 'properties')].flatMap(({ at, value }) =>
      Object.entries(value as object).map(([name, schema]) => ({ at: `${at}/${name}`, value: schema as object })),
    )
    const whole = ['schema', 'items'].flatMap((key) => [...found(document, key)])
    const choices = [...found(document, 'anyOf')].flatMap(({ at, value }) =>
      (value as object[]).map((schema, i) => ({ at: `${at}[${i}]`, value: schema })),
    )
    const schemas = [...inObjects, ...whole, ...choices]
    expect(schemas.filter(({ value }) => Object.keys(value as object).length === 0).map(({ at }) => at)).toEqual([])
    expect(schemas.length).toBeGreaterThan(500)
  })

  it('asks for a body only where none would be refused', () => {
    const bodyOf = (id: string) => operations.find(({ is }) => is.operationId === id)?.is.requestBody
    expect(bodyOf('createSession')).toHaveProperty('required', true)
    expect(bodyOf('updateState')).toHaveProperty('required', true)
    for (const id of ['confirm', 'endSession', 'verify', 'sweepSessions', 'forkSession']) {
      expect(bodyOf(id)).toBeDefined()
      expect(bodyOf(id)).not.toHaveProperty('required')
    }
    expect(bodyOf('resumeIntake')).toBeUndefined()
  })
})
