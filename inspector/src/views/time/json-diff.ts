import type { Json, JsonObject } from '../../api/types.ts'

/** The way to a value: keys of objects and places in lists, from the outside in. */
export type Path = readonly (string | number)[]

/** One difference between two values. A place in a list is the old one where something was removed, else the new one. */
export type Change =
  | { readonly op: 'added'; readonly path: Path; readonly value: Json }
  | { readonly op: 'removed'; readonly path: Path; readonly old: Json }
  | { readonly op: 'changed'; readonly path: Path; readonly old: Json; readonly value: Json }

/** What changed, as far as it was looked at. */
export interface Diff {
  readonly changes: readonly Change[]
  /** Whether there are more changes than these. */
  readonly isCut: boolean
}

/** What leads from one value to the other, in the order of the keys; at most so many changes. */
export function diffOf(old: Json, value: Json, most = 200): Diff {
  const found: Change[] = []
  compare(old, value, [], found, most + 1)
  return { changes: found.slice(0, most), isCut: found.length > most }
}

/** Goes through both values until `most` changes are found. */
function compare(old: Json, value: Json, path: Path, found: Change[], most: number): void {
  if (found.length >= most || old === value) return
  if (Array.isArray(old) && Array.isArray(value)) compareLists(old, value, path, found, most)
  else if (isObject(old) && isObject(value)) compareObjects(old, value, path, found, most)
  else if (!isSame(old, value)) found.push({ op: 'changed', path, old, value })
}

function compareObjects(old: JsonObject, value: JsonObject, path: Path, found: Change[], most: number): void {
  for (const [key, before] of Object.entries(old)) {
    if (found.length >= most) return
    const below = [...path, key]
    if (Object.hasOwn(value, key)) compare(before, value[key] as Json, below, found, most)
    else found.push({ op: 'removed', path: below, old: before })
  }
  for (const [key, after] of Object.entries(value)) {
    if (found.length >= most) return
    if (!Object.hasOwn(old, key)) found.push({ op: 'added', path: [...path, key], value: after })
  }
}

/**
 * What both lists begin and end with is the same; what lies between is compared place by place, and what is left over was
 * added or removed. So one item more or less is one change, wherever in the list it is.
 */
function compareLists(old: readonly Json[], value: readonly Json[], path: Path, found: Change[], most: number): void {
  const shorter = Math.min(old.length, value.length)
  let start = 0
  while (start < shorter && isSame(old[start], value[start])) start++
  let end = 0
  while (end < shorter - start && isSame(old[old.length - 1 - end], value[value.length - 1 - end])) end++
  for (let i = start; i < shorter - end && found.length < most; i++) {
    compare(old[i] as Json, value[i] as Json, [...path, i], found, most)
  }
  for (let i = shorter - end; i < old.length - end && found.length < most; i++) {
    found.push({ op: 'removed', path: [...path, i], old: old[i] as Json })
  }
  for (let i = shorter - end; i < value.length - end && found.length < most; i++) {
    found.push({ op: 'added', path: [...path, i], value: value[i] as Json })
  }
}

/** Whether two values are the same JSON, whatever the order of keys. */
function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i]))
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A path as code would have it: `a.b[2]["c d"]`. */
export function pathText(path: Path): string {
  const text = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`
    return /^[A-Za-z_$][\w$]{0,79}$/.test(step) ? `.${step}` : `[${JSON.stringify(step.slice(0, 80))}]`
  })
  return text.join('').replace(/^\./, '')
}
