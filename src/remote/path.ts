import { MemoryNotFoundError, SessionNotFoundError, ValidationError } from '../domain/errors.ts'
import { isObject } from '../domain/json.ts'
import { uuid } from '../features/kernel/parse.ts'

/** Path of a session. An id that cannot exist is rejected here, without a request. */
export function sessionPath(id: unknown): string {
  if (typeof id !== 'string') throw new ValidationError('id', 'must be a session id')
  const parsed = uuid().safeParse(id)
  if (!parsed.success) throw new SessionNotFoundError(id.slice(0, 64))
  return `/sessions/${parsed.data}`
}

/** Path of a memory. An id that cannot exist is rejected here, without a request. */
export function memoryPath(id: unknown): string {
  const parsed = uuid().safeParse(id)
  if (!parsed.success) throw new MemoryNotFoundError(String(id).slice(0, 64))
  return `/memories/${parsed.data}`
}

/** Escapes a name for use in a path. */
export function encodeSegment(name: string, field: string): string {
  // URL parsers resolve these two as steps through the path, escaped or not
  if (name === '.' || name === '..') throw new ValidationError(field, `must not be '${name}'`)
  return encodeURIComponent(name)
}

/** The defined values as a query string with its `?`; lists become repeated keys, objects JSON text. */
export function queryString(values: object): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) query.append(name, isObject(item) ? JSON.stringify(item) : String(item))
    }
  }
  return query.size === 0 ? '' : `?${query}`
}
