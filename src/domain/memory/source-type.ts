/**
 * How a memory was created: on request, extracted from a conversation, imported, or from a tool. Most trusted first.
 */
export const SOURCE_TYPES = ['explicit', 'implicit', 'bootstrap', 'tool_output'] as const

/** One of {@link SOURCE_TYPES}. */
export type SourceType = (typeof SOURCE_TYPES)[number]

/** Returns the more trusted source type. */
export function moreTrusted(a: SourceType, b: SourceType): SourceType {
  return SOURCE_TYPES.indexOf(a) <= SOURCE_TYPES.indexOf(b) ? a : b
}
