import type { JsonObject } from './json.ts'

/** The values by which lists can be filtered. */
export type LabelValue = string | number | boolean | null

/** Characters of a label. Longer members are stored, but lists cannot be filtered by them. */
export const MAX_LABEL = 256

/** A member of metadata as JSON text, such as `["project","x"]`: an index finds the sessions that have it. */
export function labelOf(name: string, value: LabelValue): string {
  return JSON.stringify([name, value])
}

/** The labels of all top-level members whose values are neither lists nor objects, nor too long. */
export function labelsOf(metadata: JsonObject): string[] {
  return Object.entries(metadata).flatMap(([name, value]) => {
    const isLong = name.length > MAX_LABEL || (typeof value === 'string' && value.length > MAX_LABEL)
    if (isLong || (typeof value === 'object' && value !== null)) return []
    const label = labelOf(name, value as LabelValue)
    return label.length > MAX_LABEL ? [] : [label]
  })
}

/** Whether the metadata has every wanted member with an equal value. */
export function hasMembers(metadata: JsonObject, wanted: Readonly<Record<string, LabelValue>>): boolean {
  return Object.entries(wanted).every(([name, value]) => Object.hasOwn(metadata, name) && metadata[name] === value)
}
