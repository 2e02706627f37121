/** Source of the current time. Tests pass one they set by hand. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
}
