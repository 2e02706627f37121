import type { Hash } from 'node:crypto'
import { nodeCrypto } from '../kernel/crypto.ts'

/** How far an export came as text, with all that is needed to go on from there: what a line of the kind `check` holds. */
export interface ExportCheck {
  /** Session of the block before it. */
  session: string
  /** Its last event so far. */
  sequence: number
  /** The session has come to its end. */
  done: boolean
  /** SHA-256 of the sum before it in the session and the lines of the block. */
  sum: string
  /** Sessions that have come to their end so far. */
  sessions: number
  /** Events so far. */
  events: number
  /** SHA-256 of the total before it and the sum of the session, for each that has come to its end. Empty before the first. */
  total: string
}

/** What closes a block of the text: so many events, or so many bytes of lines, whichever comes first. */
export const BLOCK = { events: 500, bytes: 4 * 1024 * 1024 } as const

/** The sums of an export as its lines go by, the same for whoever writes and whoever reads. */
export class Tally {
  #check: ExportCheck
  #hash: Hash | undefined
  #events = 0
  #bytes = 0

  constructor(from?: ExportCheck) {
    this.#check = from ?? { session: '', sequence: 0, done: true, sum: '', sessions: 0, events: 0, total: '' }
  }

  /** The last check, and the session that has begun since. */
  get check(): ExportCheck {
    return this.#check
  }

  /** There are lines behind the last check. */
  get isOpen(): boolean {
    return this.#hash !== undefined
  }

  /** Events behind the last check. */
  get waiting(): number {
    return this.#events
  }

  get isFull(): boolean {
    return this.#events >= BLOCK.events || this.#bytes >= BLOCK.bytes
  }

  /** The session is under way. */
  isIn(sessionId: string): boolean {
    return this.#check.session === sessionId && !this.#check.done
  }

  /** A session begins with this line. */
  begin(sessionId: string, line: string): void {
    this.#check = { ...this.#check, session: sessionId, sequence: 0, done: false, sum: '' }
    this.#update(line)
  }

  /** The line of an event, with its line feed. */
  add(line: string): void {
    this.#events++
    this.#update(line)
  }

  /** The block ends with the event `sequence`. */
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
