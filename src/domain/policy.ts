/** How long a session may be idle, in milliseconds. */
export interface Policy {
  /** Beyond it the user is asked whether to continue. */
  readonly idleTimeoutMs: number
  /** Beyond it the session expires. */
  readonly staleTimeoutMs: number
}

/** 24 hours and 7 days. */
export const DEFAULT_POLICY: Policy = { idleTimeoutMs: 86_400_000, staleTimeoutMs: 604_800_000 }
