import { ValidationError } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { toPlainJson } from './plain-json.ts'

/** An object of a foreign list, and where it stands. */
export interface InputObject {
  value: JsonObject
  path: string
}

/** The objects of a list as plain JSON. Throws `ValidationError` naming what is no list or no object. */
export function readObjects(list: unknown, path: string): InputObject[] {
  if (!Array.isArray(list)) throw new ValidationError(path, 'must be a list')
  return list.map((item: unknown, i) => ({
    value: checkObject(toPlainJson(item ?? null, `${path}[${i}]`), `${path}[${i}]`),
    path: `${path}[${i}]`,
  }))
}

/** Content as a list of typed blocks; `undefined` for text and for nothing, which have no blocks. */
export function optionalBlocks(place: InputObject, key = 'content'): InputObject[] | undefined {
  const list = place.value[key]
  if (list === undefined || list === null || typeof list === 'string') return undefined
  return requireBlocks(place, key)
}

/** The list of typed blocks under a key. */
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

/** The text under a key. */
export function requireText({ value, path }: InputObject, key: string): string {
  const found = value[key]
  if (typeof found !== 'string') throw new ValidationError(`${path}.${key}`, 'must be text')
  return found
}

/** The object under a key, with its place. */
export function requireObject({ value, path }: InputObject, key: string): InputObject {
  return { value: checkObject(value[key], `${path}.${key}`), path: `${path}.${key}` }
}

/** Refuses a message whose role is none of these. */
export function requireRole(place: InputObject, roles: readonly string[]): string {
  const found = place.value.role
  if (typeof found === 'string' && roles.includes(found)) return found
  throw new ValidationError(`${place.path}.role`, `must be one of ${roles.join(', ')}`)
}

/** The text under a key, `undefined` where it is absent or `null`. */
export function optionalText(place: InputObject, key: string): string | undefined {
  const found = place.value[key]
  return found === undefined || found === null ? undefined : requireText(place, key)
}

function checkObject(value: Json | undefined, path: string): JsonObject {
  if (!isObject(value)) throw new ValidationError(path, 'must be an object')
  return value
}
