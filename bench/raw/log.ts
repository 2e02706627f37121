import type { Message } from '../load.ts'

/** The least that keeps a log in a database, as someone would write it by hand. */
export interface RawLog {
  /** Makes a session and gives its id. */
  create(): string | Promise<string>
  append(sessionId: string, message: Message): void | Promise<void>
  /** Newest first from the index, then turned round, as a caller would want them. */
  last(sessionId: string, count: number): unknown[] | Promise<unknown[]>
  /** Many appends in one transaction, to set a log up. */
  fill(sessionId: string, messages: readonly Message[]): void | Promise<void>
  close(): void | Promise<void>
}
