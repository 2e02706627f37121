/** Where times come from. Tests pass one they move by hand. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
}
