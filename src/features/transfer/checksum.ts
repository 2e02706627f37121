import type { Hash } from 'node:crypto'
import { nodeCrypto } from '../kernel/crypto.ts'

/** The position in an export, with all that is needed to continue from it: the content of a `check` line. */
export interface ExportCheck {
  /** Session of the preceding block. */
  session: string
  /** Last event so far. */
  sequence: number
  /** Whether the session is complete. */
  done: boolean
  /** SHA-256 of the session's previous sum and the lines of the block. */
  sum: string
  /** Complete sessions so far. */
  sessions: number
  /** Events so far. */
  events: number
  /** SHA-256 of the previous total and the session's sum, after each complete session. Empty before the first. */
  total: string
}

/** A block ends after this many events or bytes, whichever comes first. */
export const BLOCK = { events: 500, bytes: 4 * 1024 * 1024 } as const

/** The running checksums of an export, the same for writer and reader. */
export class Tally {
  #check: ExportCheck
  #hash: Hash | undefined
  #events = 0
  #bytes = 0

  constructor(from?: ExportCheck) {
    this.#check = from ?? { session: '', sequence: 0, done: true, sum: '', sessions: 0, events: 0, total: '' }
  }

  /** The last check, and the session started since. */
  get check(): ExportCheck {
    return this.#check
  }

  /** Whether there are lines after the last check. */
  get isOpen(): boolean {
    return this.#hash !== undefined
  }

  /** Events after the last check. */
  get waiting(): number {
    return this.#events
  }

  get isFull(): boolean {
    return this.#events >= BLOCK.events || this.#bytes >= BLOCK.bytes
  }

  /** Whether the session is in progress. */
  isIn(sessionId: string): boolean {
    return this.#check.session === sessionId && !this.#check.done
  }

  /** Starts a session with this line. */
  begin(sessionId: string, line: string): void {
    this.#check = { ...this.#check, session: sessionId, sequence: 0, done: false, sum: '' }
    this.#update(line)
  }

  /** Adds the line of an event, with its line feed. */
  add(line: string): void {
    this.#events++
    this.#update(line)
  }

  /** Ends the block with the event `sequence`. */
  close(sequence: number, done: boolean): ExportCheck {
    const { session, sessions, events, total, sum: before } = this.#check
    const sum = (this.#hash ?? chained(before)).digest('hex')
    this.#check = {
      session,
      sequence,
      done,
      sum,
      sessions: sessions + (done ? 1 : 0),
      events: events + this.#events,
      total: done ? chained(total).update(sum).digest('hex') : total,
    }
    this.#hash = undefined
    this.#events = 0
    this.#bytes = 0
    return this.#check
  }

  #update(line: string): void {
    this.#hash ??= chained(this.#check.sum)
    this.#hash.update(line)
    this.#bytes += Buffer.byteLength(line)
  }
}

function chained(before: string): Hash {
  return nodeCrypto().createHash('sha256').update(before)
}
