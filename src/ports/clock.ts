/** Source of the current time. Tests pass one they set by hand. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
}

/** The clock of a store: the database's, or the host's where the store is a part of the process. */
export interface StoreClock extends Clock {
  /** Compares it with the database again. Throws if the database does not respond. */
  sync(): Promise<void>
}
