import type { WriteOptions } from '../api.ts'
import { SessionNotFoundError, ValidationError } from '../domain/errors.ts'
import { parse, uuid, writeOptions } from '../features/kernel/parse.ts'
import { uuid7 } from '../ids.ts'
import type { Connection } from './connection.ts'
import { type Call, queryString } from './request.ts'

/** The key of a write: the caller's, or one of our own, so that it can be sent again when no answer came. */
export function idempotencyKeyOf(options: WriteOptions | undefined): string {
  return parse(writeOptions, options ?? {}).idempotencyKey ?? uuid7()
}

/** Reads. What is given as a query was checked before: as text it has lost its types. */
export async function read<T>(connection: Connection, path: string, query: object = {}): Promise<T> {
  return await connection.request<T>({ method: 'GET', path: `${path}${queryString(query)}` })
}

/** Writes once, under the key of the caller or one of our own. */
export async function write<T>(
  connection: Connection,
  method: Call['method'],
  path: string,
  body: string | undefined,
  options: WriteOptions | undefined,
): Promise<T> {
  const key = idempotencyKeyOf(options)
  return await connection.request<T>({ method, path, key, ...(body !== undefined && { body }) })
}

/** Path of a session; what cannot be one is not asked for. */
export function sessionPath(id: unknown): string {
  if (typeof id !== 'string') throw new ValidationError('id', 'must be the id of a session')
  const known = uuid().safeParse(id)
  if (!known.success) throw new SessionNotFoundError(id.slice(0, 64))
  return `/sessions/${known.data}`
}
