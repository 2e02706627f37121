import type { Message } from './load.ts'

/**
 * A store as the benchmark sees it: Throughline, a bare driver, or a peer. Every contender does the same work with the
 * same messages and answers only when the work is done as durably as it can. What a store has no notion of is left out,
 * and its cell in the table stays empty.
 */
export interface Contender {
  readonly name: string
  /** What its figures must be read with, such as that it answers before anything is on disk; shown beside them. */
  readonly caveat?: string
  /** Makes a session and gives its id. */
  create(): Promise<string>
  /** Adds one message and answers when it is kept. */
  append(sessionId: string, message: Message): Promise<void>
  /** The last 30 turns, oldest first, as objects that an agent could use. */
  recent(sessionId: string): Promise<readonly unknown[]>
  /** The content of every message kept, in the order of the store; to count what was lost, doubled or out of order. */
  contents(sessionId: string): Promise<string[]>
  /** Many messages at once, to set a log up; as fast as the store allows, and not measured. */
  fill(sessionId: string, messages: readonly Message[]): Promise<void>
  /** The record of a session: whose it is, and where it stands. */
  record?(sessionId: string): Promise<unknown>
  /** The state beside the messages. */
  state?(sessionId: string): Promise<unknown>
  /** Changes one small key of the state. */
  update?(sessionId: string, value: number): Promise<void>
  /** The newest 50 sessions of the user `bench`. */
  list?(): Promise<readonly unknown[]>
  /** The newest 50 sessions of everyone. */
  everyone?(): Promise<readonly unknown[]>
  /** Makes the store hold so many sessions, by copying rows where it is slow by its own calls; not measured. */
  populate?(sessions: number): Promise<void>
  close(): Promise<void>
}

/** Opens a contender. Opened twice with one target, in one process or two, it is the same store. */
export interface Entrant {
  readonly name: string
  /** The target is a file's path for stores in files, a URL for servers, and empty in memory. */
  open(target: string, options: { connections: number }): Promise<Contender>
}
