import type { Message } from './load.ts'

/**
 * A store as the benchmark sees it: Throughline, a bare driver, or a peer. Every contender does the same work with the
 * same messages and answers only when the work is as durable as the store allows. A call that a store does not have is
 * left out, and its cell in the table stays empty.
 */
export interface Contender {
  readonly name: string
  /** A caveat shown next to its figures, such as that it answers before anything is on disk. */
  readonly caveat?: string
  /** Creates a session and returns its id. */
  create(): Promise<string>
  /** Adds one message and resolves when it is stored. */
  append(sessionId: string, message: Message): Promise<void>
  /** The last 30 turns, oldest first, as objects that an agent could use. */
  recent(sessionId: string): Promise<readonly unknown[]>
  /** The content of every stored message in order, to count lost, duplicated and disordered ones. */
  contents(sessionId: string): Promise<string[]>
  /** Adds many messages at once to set up a log, as fast as the store allows; not measured. */
  fill(sessionId: string, messages: readonly Message[]): Promise<void>
  /** The record of a session: owner and status. */
  record?(sessionId: string): Promise<unknown>
  /** The state of a session. */
  state?(sessionId: string): Promise<unknown>
  /** Changes one small key of the state. */
  update?(sessionId: string, value: number): Promise<void>
  /** The newest 50 sessions of the user `bench`. */
  list?(): Promise<readonly unknown[]>
  /** The newest 50 sessions of everyone. */
  everyone?(): Promise<readonly unknown[]>
  /** Fills the store with this many sessions, by copying rows where its own calls are slow; not measured. */
  populate?(sessions: number): Promise<void>
  close(): Promise<void>
}

/** Opens a contender. Opened twice with one target, in one process or two, it is the same store. */
export interface Entrant {
  readonly name: string
  /** The target is a file's path for stores in files, a URL for servers, and empty in memory. */
  open(target: string, options: { connections: number }): Promise<Contender>
}
