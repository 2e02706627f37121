import type { z } from 'zod/mini'
import type { WriteOptions } from '../api.ts'
import type { ErrorCode } from '../domain/errors.ts'
import type { Deps } from '../features/kernel/deps.ts'

/**
 * One call of the HTTP API. Its schemas describe input and output for `/openapi.json`; the operation checks the input,
 * once.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/v1`: `/sessions/{id}/events`. */
  readonly path: string
  /** Its unique operation id in OpenAPI: `appendEvents`. */
  readonly operation: string
  /** What it does, in one line. */
  readonly summary: string
  readonly query?: z.core.$ZodObject
  /** Absent: it takes no body. */
  readonly body?: z.core.$ZodType
  /** The schema of its response; absent: 204 without a body. */
  readonly response?: z.core.$ZodType
  /** Whether the result may be undefined: then 204. @default false */
  readonly mayBeEmpty?: boolean
  /** @default 200 */
  readonly status?: 201
  /** Error codes beside those that any route may return. */
  readonly errors?: readonly ErrorCode[]
  /** Whether it works without the store. @default false */
  readonly storeless?: boolean
  /** Whether the body may contain `observations`, of its session or of several by id, written in the same append. */
  readonly work?: 'session' | 'conversation'
  /** Whether it streams its progress to callers that ask for a stream. @default false */
  readonly long?: boolean
  /** Whether it works through many sessions: only a few such calls run at once. @default false */
  readonly bulk?: boolean
  /** Whether it may wait for long: it then counts as a stream, not as a request. @default false */
  readonly waits?: boolean
  /** Whether it responds with server-sent events; `response` is then the schema of one item. @default false */
  readonly stream?: boolean
  handle(call: Call): Promise<unknown> | AsyncIterable<unknown>
}

/** A request as a route gets it. */
export interface Call {
  /** Restricted to the caller, with the observations of this request. */
  readonly deps: Deps
  /** `{id}` of the path; a session's id is a UUID. */
  readonly id: string
  /** Every path parameter by name. */
  readonly params: Readonly<Record<string, string>>
  /** Numbers, flags and lists as the schema declares them. Values that do not fit stay text. */
  readonly query: Readonly<Record<string, unknown>>
  /** Unchecked: a plain object if the schema is one, else any JSON; `undefined` if empty. */
  // biome-ignore lint/suspicious/noExplicitAny: the operation checks it
  readonly body: any
  /** The header `Idempotency-Key`, to spread after the body. */
  readonly key: WriteOptions
  /** Reports the progress of long work. */
  readonly onProgress: (progress: unknown) => void
  /** Aborted when the caller of a stream, or of a call that waits, disconnects, and when the server stops. */
  readonly signal: AbortSignal
}
