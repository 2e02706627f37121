import { isObject, type Json, type JsonObject } from '../json.ts'

/** The difference between two JSON objects: members to set, to drop, and to change inside. */
export interface Difference {
  set?: JsonObject
  drop?: string[]
  in?: { [key: string]: Difference }
}

/**
 * Returns the changes from `before` to `after`; `undefined` without any. Lists of equal length are compared item by
 * item.
 */
export function diffJson(before: Json, after: Json): Difference | undefined {
  const set: [string, Json][] = []
  const drop: string[] = []
  const inside: [string, Difference][] = []
  const old = membersOf(before)
  const fresh = membersOf(after)
  for (const [key, value] of Object.entries(fresh)) {
    if (!Object.hasOwn(old, key)) {
      set.push([key, value])
      continue
    }
    const was = old[key] as Json
    if (!comparable(was, value)) {
      if (!Object.is(was, value)) set.push([key, value])
      continue
    }
    const change = diffJson(was, value)
    if (change) inside.push([key, change])
  }
  for (const key of Object.keys(old)) if (!Object.hasOwn(fresh, key)) drop.push(key)
  if (set.length + drop.length + inside.length === 0) return undefined
  return {
    // fromEntries defines members, so one named __proto__ stays a member
    ...(set.length > 0 && { set: Object.fromEntries(set) }),
    ...(drop.length > 0 && { drop }),
    ...(inside.length > 0 && { in: Object.fromEntries(inside) }),
  }
}

/** Applies a difference. Total: a change that does not fit is skipped. */
export function applyDifference(before: Json, difference: Difference | undefined): Json {
  const change = difference as Json | undefined
  if (!isObject(change) || before === null || typeof before !== 'object') return before
  const members = new Map(Object.entries(membersOf(before)))
  if (isObject(change.set)) for (const [key, value] of Object.entries(change.set)) members.set(key, value)
  if (Array.isArray(change.drop)) for (const key of change.drop) members.delete(key)
  if (isObject(change.in)) {
    for (const [key, inner] of Object.entries(change.in)) {
      const value = members.get(key)
      if (value !== undefined) members.set(key, applyDifference(value, inner as Difference))
    }
  }
  return Array.isArray(before) ? [...members.values()] : Object.fromEntries(members)
}

function membersOf(value: Json): JsonObject {
  return value as JsonObject
}

function comparable(a: Json, b: Json): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length
  return isObject(a) && isObject(b)
}
