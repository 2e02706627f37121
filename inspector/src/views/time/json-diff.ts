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
  readonly isTruncated: boolean
}

/** What leads from one value to the other, in the order of the keys; at most so many changes. */
export function diffJson(old: Json, value: Json, most = 200): Diff {
  const found: Change[] = []
  compare(old, value, [], found, most + 1)
  return { changes: found.slice(0, most), isTruncated: found.length > most }
}

/** Goes through both values until `most` changes are found. */
function compare(old: Json, value: Json, path: Path, found: Change[], most: number): void {
  if (found.length >= most || old === value) return
  if (Array.isArray(old) && Array.isArray(value)) compareLists(old, value, path, found, most)
  else if (isObject(old) && isObject(value)) compareObjects(old, value, path, found, most)
  else if (!isEqual(old, value)) found.push({ op: 'changed', path, old, value })
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
 * What both lists begin and end with is the same. Between, items that are found in both are compared with each other; what
 * lies before, between and behind those is compared place by place, and what is left over was added or removed.
 */
function compareLists(old: readonly Json[], value: readonly Json[], path: Path, found: Change[], most: number): void {
  const shorter = Math.min(old.length, value.length)
  let start = 0
  while (start < shorter && isEqual(old[start], value[start])) start++
  let end = 0
  while (end < shorter - start && isEqual(old[old.length - 1 - end], value[value.length - 1 - end])) end++
  const ends = [old.length - end, value.length - end] as const
  let [from, to] = [start, start]
  for (const [before, after] of [...matchItems(old.slice(start, ends[0]), value.slice(start, ends[1]), start), ends]) {
    for (; from < before && to < after && found.length < most; from++, to++) {
      compare(old[from] as Json, value[to] as Json, [...path, to], found, most)
    }
    for (; from < before && found.length < most; from++) {
      found.push({ op: 'removed', path: [...path, from], old: old[from] as Json })
    }
    for (; to < after && found.length < most; to++) {
      found.push({ op: 'added', path: [...path, to], value: value[to] as Json })
    }
    if (found.length >= most || before === ends[0]) return
    compare(old[before] as Json, value[after] as Json, [...path, after], found, most)
    from = before + 1
    to = after + 1
  }
}

/** Pairs of items that are looked at to find those that belong together. */
const MAX_PAIRS = 200 * 200

/**
 * The places of the items that belong together, as many as can be in the order of both lists (their longest common
 * subsequence); none if the lists are too long to look.
 */
function matchItems(old: readonly Json[], value: readonly Json[], offset: number): (readonly [number, number])[] {
  const looks = old.length * value.length
  if (looks === 0 || looks > MAX_PAIRS) return []
  const width = value.length + 1
  const [before, after] = [old.map(itemKey), value.map(itemKey)]
  // the most pairs from these two places on
  const most = new Uint16Array((old.length + 1) * width)
  const at = (i: number, j: number) => most[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = value.length - 1; j >= 0; j--) {
      most[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
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

/** Items belong together if they have the same id, or else are the same JSON, whatever the order of keys. */
function itemKey(item: Json): string {
  const id = isObject(item) && Object.hasOwn(item, 'id') ? item['id'] : undefined
  if (typeof id === 'string' || typeof id === 'number') return `id ${JSON.stringify(id)}`
  return JSON.stringify(item, (_, value: Json) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value,
  )
}

/** Whether two values are the same JSON, whatever the order of keys. */
function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => isEqual(item, b[i]))
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A path as code would have it: `a.b[2]["c d"]`. */
export function formatPath(path: Path): string {
  const text = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`
    return /^[A-Za-z_$][\w$]{0,79}$/.test(step) ? `.${step}` : `[${JSON.stringify(step.slice(0, 80))}]`
  })
  return text.join('').replace(/^\./, '')
}
