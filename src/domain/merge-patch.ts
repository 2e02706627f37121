import { isObject, type Json, type JsonObject } from './json.ts'

/** Applies a JSON Merge Patch (RFC 7396): objects merge key by key, `null` removes a key, anything else replaces. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  return isObject(patch) ? mergeObject(target, patch) : patch
}

/** Applies an object patch; the result is an object whatever the target was. */
export function mergeObject(target: Json | undefined, patch: JsonObject): JsonObject {
  const merged: Record<string, Json> = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = mergePatch(Object.hasOwn(merged, key) ? merged[key] : undefined, value)
  }
  return merged
}
