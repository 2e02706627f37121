/** How a memory came about: said to be remembered, gathered from a conversation, brought in from before, given by a tool. */
export const SOURCE_TYPES = ['explicit', 'implicit', 'bootstrap', 'tool_output'] as const

/** One of {@link SOURCE_TYPES}. */
export type SourceType = (typeof SOURCE_TYPES)[number]

/** The one that is trusted more: what was said to be remembered before what was gathered, and a tool last. */
export function moreTrusted(a: SourceType, b: SourceType): SourceType {
  return SOURCE_TYPES.indexOf(a) <= SOURCE_TYPES.indexOf(b) ? a : b
}
