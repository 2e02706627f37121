import type { Json, JsonObject } from '../../api/types.ts'
import { isObject } from '../../domain.ts'

/** Path to a value: object keys and list indexes from the outside in. */
export type Path = readonly (string | number)[]

/** One difference between two values. A list index is the old one for a removed item, else the new one. */
export type Change =
  | { readonly op: 'added'; readonly path: Path; readonly value: Json }
  | { readonly op: 'removed'; readonly path: Path; readonly old: Json }
  | { readonly op: 'changed'; readonly path: Path; readonly old: Json; readonly value: Json }

/** Differences, up to a maximum. */
export interface Diff {
  readonly changes: readonly Change[]
  /** Whether there are more changes. */
  readonly isTruncated: boolean
}

/** Finds the changes from one value to another, in key order, up to `max`. */
export function diffJson(old: Json, value: Json, max = 200): Diff {
  const found: Change[] = []
  compare(old, value, [], found, max + 1)
  return { changes: found.slice(0, max), isTruncated: found.length > max }
}

/** Compares until `max` changes are found. */
function compare(old: Json, value: Json, path: Path, found: Change[], max: number): void {
  if (found.length >= max || old === value) return
  if (Array.isArray(old) && Array.isArray(value)) compareLists(old, value, path, found, max)
  else if (isObject(old) && isObject(value)) compareObjects(old, value, path, found, max)
  else if (!isEqual(old, value)) found.push({ op: 'changed', path, old, value })
}

function compareObjects(old: JsonObject, value: JsonObject, path: Path, found: Change[], max: number): void {
  for (const [key, before] of Object.entries(old)) {
    if (found.length >= max) return
    const below = [...path, key]
    if (Object.hasOwn(value, key)) compare(before, value[key] as Json, below, found, max)
    else found.push({ op: 'removed', path: below, old: before })
  }
  for (const [key, after] of Object.entries(value)) {
    if (found.length >= max) return
    if (!Object.hasOwn(old, key)) found.push({ op: 'added', path: [...path, key], value: after })
  }
}

/**
 * Skips the common start and end of both lists. Items found in both are compared with each other; the items around them
 * are compared index by index, and any left over were added or removed.
 */
function compareLists(old: readonly Json[], value: readonly Json[], path: Path, found: Change[], max: number): void {
  const shorter = Math.min(old.length, value.length)
  let start = 0
  while (start < shorter && isEqual(old[start], value[start])) start++
  let end = 0
  while (end < shorter - start && isEqual(old[old.length - 1 - end], value[value.length - 1 - end])) end++
  const ends = [old.length - end, value.length - end] as const
  let [from, to] = [start, start]
  for (const [before, after] of [...matchItems(old.slice(start, ends[0]), value.slice(start, ends[1]), start), ends]) {
    for (; from < before && to < after && found.length < max; from++, to++) {
      compare(old[from] as Json, value[to] as Json, [...path, to], found, max)
    }
    for (; from < before && found.length < max; from++) {
      found.push({ op: 'removed', path: [...path, from], old: old[from] as Json })
    }
    for (; to < after && found.length < max; to++) {
      found.push({ op: 'added', path: [...path, to], value: value[to] as Json })
    }
    if (found.length >= max || before === ends[0]) return
    compare(old[before] as Json, value[after] as Json, [...path, after], found, max)
    from = before + 1
    to = after + 1
  }
}

/** Most pairs of items to compare for a match. */
const MAX_PAIRS = 200 * 200

/** Indexes of matching items in the order of both lists (longest common subsequence); none for very long lists. */
function matchItems(old: readonly Json[], value: readonly Json[], offset: number): (readonly [number, number])[] {
  const looks = old.length * value.length
  if (looks === 0 || looks > MAX_PAIRS) return []
  const width = value.length + 1
  const [before, after] = [old.map(itemKey), value.map(itemKey)]
  // number of pairs from these two indexes on
  const counts = new Uint16Array((old.length + 1) * width)
  const at = (i: number, j: number) => counts[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = value.length - 1; j >= 0; j--) {
      counts[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const pairs: (readonly [number, number])[] = []
  for (let i = 0, j = 0; at(i, j) > 0; ) {
    if (before[i] === after[j]) pairs.push([offset + i++, offset + j++])
    else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  return pairs
}

/** Items match if they have the same id, else if they are equal JSON in any key order. */
function itemKey(item: Json): string {
  const id = isObject(item) && Object.hasOwn(item, 'id') ? item['id'] : undefined
  if (typeof id === 'string' || typeof id === 'number') return `id ${JSON.stringify(id)}`
  return JSON.stringify(item, (_, value: Json) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value,
  )
}

/** Whether two values are equal JSON in any key order. */
function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => isEqual(item, b[i]))
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
}

/** A path as in code: `a.b[2]["c d"]`. */
export function formatPath(path: Path): string {
  const text = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`
    return /^[A-Za-z_$][\w$]{0,79}$/.test(step) ? `.${step}` : `[${JSON.stringify(step.slice(0, 80))}]`
  })
  return text.join('').replace(/^\./, '')
}
