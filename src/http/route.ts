import type { z } from 'zod/mini'
import type { WriteOptions } from '../api.ts'
import type { ErrorCode } from '../domain/errors.ts'
import type { Deps } from '../features/kernel/deps.ts'

/**
 * One call of the HTTP API. Schemas say what goes in and comes out, for the document at `/openapi.json`; what comes in is
 * checked by the operation, once.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/v1`: `/sessions/{id}/events`. */
  readonly path: string
  /** Its name in the document, unique: `appendEvents`. */
  readonly operation: string
  /** One line of what it does. */
  readonly summary: string
  readonly query?: z.core.$ZodObject
  /** Absent: it takes no body. */
  readonly body?: z.core.$ZodType
  /** What it answers; absent: 204, nothing. */
  readonly response?: z.core.$ZodType
  /** It may have nothing to answer: then 204. @default false */
  readonly mayBeEmpty?: boolean
  /** @default 200 */
  readonly status?: 201
  /** Codes that it may answer with, beside those that any route may. */
  readonly errors?: readonly ErrorCode[]
  /** Needs no store, so that none can fail it. @default false */
  readonly storeless?: boolean
  /** Takes `observations` beside the rest of its body, and writes them in the same append: of its session, or of several by their ids. */
  readonly work?: 'session' | 'conversation'
  /** Long work: tells how far it is, on a stream, where the caller asks for one. @default false */
  readonly long?: boolean
  /** Answers with a stream of server-sent events, one for each item; `answer` is the schema of one. @default false */
  readonly stream?: boolean
  handle(call: Call): Promise<unknown> | AsyncIterable<unknown>
}

/** A request, as a route gets it. */
export interface Call {
  /** For whoever is calling, with the observations that came along. */
  readonly deps: Deps
  /** `{id}` of the path; that of a session is a UUID. */
  readonly id: string
  /** Every part of the path by its name. */
  readonly params: Readonly<Record<string, string>>
  /** Numbers, flags and lists as the schema has them. What does not fit stays text. */
  readonly query: Readonly<Record<string, unknown>>
  /** As it came: a plain object where the schema is one, else any JSON; `undefined` if it was empty. */
  // biome-ignore lint/suspicious/noExplicitAny: the operation checks it
  readonly body: any
  /** The header `Idempotency-Key`, to be spread behind what the body says. */
  readonly key: WriteOptions
  /** Tells how far long work is. */
  readonly onProgress: (progress: unknown) => void
  /** Aborted when the caller has gone away, or the server stops. */
  readonly signal: AbortSignal
}
