import { expect } from 'vitest'
import type { ErrorCode } from '../../src/domain/errors.ts'
import { type Problem, STATUS } from '../../src/http/error-response.ts'
import { problem as problemSchema } from '../../src/http/openapi.ts'
import type { RouteAddress, TestRequest, TestResponse } from './samples.ts'

/** Sends a request to a route. Does not read a stream. */
export async function send(base: string, route: RouteAddress, sent: TestRequest): Promise<TestResponse> {
  const { query, body, headers } = sent
  const response = await fetch(urlOf(base, route.path, sent) + (query ? `?${new URLSearchParams(query)}` : ''), {
    method: route.method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const type = response.headers.get('content-type') ?? ''
  const isStream = type.startsWith('text/event-stream')
  if (isStream) await response.body?.cancel()
  return { status: response.status, type, headers: response.headers, text: isStream ? '' : await response.text() }
}

/** The URL of a route, with its path parameters. */
export function urlOf(base: string, path: string, { params = {} }: TestRequest): string {
  return `${base}/v1${path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))}`
}

/** The code of a problem; `undefined` for other responses. */
export function codeOf({ type, text }: TestResponse): ErrorCode | undefined {
  return type.startsWith('application/problem+json') ? (JSON.parse(text) as Problem).code : undefined
}

/** Expects a complete problem with this code and its status. */
export function expectProblem(answer: TestResponse, code: ErrorCode): Problem {
  const { status, type, text } = answer
  expect([status, type, text]).toEqual([STATUS[code], 'application/problem+json; charset=utf-8', expect.any(String)])
  const problem = problemSchema.parse(JSON.parse(text)) as Problem
  expect(problem).toMatchObject({ type: 'about:blank', status, code })
  expect(problem.title.length * problem.detail.length).toBeGreaterThan(0)
  expect(problem.instance).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  return problem
}
