import { ValidationError } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { toPlainJson } from './plain-json.ts'

/** An input object and its path. */
export interface InputObject {
  value: JsonObject
  path: string
}

/** Reads a list of objects as plain JSON. Throws `ValidationError` with the path of anything else. */
export function readObjects(list: unknown, path: string): InputObject[] {
  if (!Array.isArray(list)) throw new ValidationError(path, 'must be a list')
  return list.map((item: unknown, i) => ({
    value: checkObject(toPlainJson(item ?? null, `${path}[${i}]`), `${path}[${i}]`),
    path: `${path}[${i}]`,
  }))
}

/** Reads content as typed blocks; `undefined` for text or nothing. */
export function optionalBlocks(place: InputObject, key = 'content'): InputObject[] | undefined {
  const list = place.value[key]
  if (list === undefined || list === null || typeof list === 'string') return undefined
  return requireBlocks(place, key)
}

/** Reads the list of typed blocks at a key. */
export function requireBlocks({ value, path }: InputObject, key: string): InputObject[] {
  const list = value[key]
  if (!Array.isArray(list)) throw new ValidationError(`${path}.${key}`, 'must be a list of blocks')
  return list.map((item: Json, i) => {
    const at = `${path}.${key}[${i}]`
    const block = { value: checkObject(item, at), path: at }
    requireText(block, 'type')
    return block
  })
}

/** Reads the text at a key. */
export function requireText({ value, path }: InputObject, key: string): string {
  const found = value[key]
  if (typeof found !== 'string') throw new ValidationError(`${path}.${key}`, 'must be text')
  return found
}

/** Reads the object at a key, with its path. */
export function requireObject({ value, path }: InputObject, key: string): InputObject {
  return { value: checkObject(value[key], `${path}.${key}`), path: `${path}.${key}` }
}

/** Reads the role; throws unless it is one of these. */
export function requireRole(place: InputObject, roles: readonly string[]): string {
  const found = place.value.role
  if (typeof found === 'string' && roles.includes(found)) return found
  throw new ValidationError(`${place.path}.role`, `must be one of ${roles.join(', ')}`)
}

/** Reads the text at a key; `undefined` if absent or `null`. */
export function optionalText(place: InputObject, key: string): string | undefined {
  const found = place.value[key]
  return found === undefined || found === null ? undefined : requireText(place, key)
}

function checkObject(value: Json | undefined, path: string): JsonObject {
  if (!isObject(value)) throw new ValidationError(path, 'must be an object')
  return value
}
