/** What can be recalled: a message, the summary of a session, a memory. */
export const RECALL_KINDS = ['event', 'commit', 'memory'] as const

/** One of {@link RECALL_KINDS}. */
export type RecallKind = (typeof RECALL_KINDS)[number]
