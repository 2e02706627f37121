/** How a memory came about: said to be remembered, gathered from a conversation, brought in from before, given by a tool. */
export const SOURCE_TYPES = ['explicit', 'implicit', 'bootstrap', 'tool_output'] as const

/** One of {@link SOURCE_TYPES}. */
export type SourceType = (typeof SOURCE_TYPES)[number]
