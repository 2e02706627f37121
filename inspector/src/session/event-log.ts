import { signal } from '@preact/signals'
import { getEvents } from '../api/client.ts'
import { type Problem, toProblem } from '../api/problem.ts'
import type { SessionEvent } from '../api/types.ts'
import { LIMITS } from '../domain.ts'
import { Outline, PAGE, pageOf } from './outline.ts'

/** Pages that are cached; the least recently used goes first. */
const KEPT = 60

/** Reads of one fill at most: a response with large events ends early. */
const READS = 40

/** A range of unknown events. */
interface Gap {
  readonly from: number
  readonly to: number
}

/** A part of the log to load, from a place outwards. */
export interface FillGoal {
  readonly near: number
  readonly from: number
  readonly to: number
}

/** The loaded part of a session's log. Sequences have no gaps, so an event's page follows from its sequence. */
export class EventLog {
  readonly #id: string
  readonly #signal: AbortSignal
  /** By number, the most recently used last. */
  readonly #pages = new Map<number, Map<number, SessionEvent>>()
  readonly #pending = new Map<number, Promise<void>>()
  #goal: (FillGoal & { reads: number }) | undefined
  /** What is known of every event that was loaded so far. */
  readonly outline = new Outline()
  /** Changes whenever there is something new to show. */
  readonly version = signal(0)
  /** Why the last read failed; `undefined` after one that succeeded. */
  readonly problem = signal<Problem | undefined>(undefined)

  /** Aborting the signal aborts all reads. */
  constructor(id: string, signal: AbortSignal) {
    this.#id = id
    this.#signal = signal
  }

  /** The event, if it is loaded. */
  peek(sequence: number): SessionEvent | undefined {
    return this.#pages.get(pageOf(sequence))?.get(sequence)
  }

  /** Loads missing events between two sequences, both included, of a log that ends at `head`. */
  prefetch(from: number, to: number, head: number): void {
    for (let page = pageOf(Math.max(1, from)); page <= pageOf(Math.min(to, head)); page++) {
      const known = this.#pages.get(page)
      if (known !== undefined && known.size >= Math.min(PAGE, head - page * PAGE)) this.#touch(page, known)
      else void this.#fetch(page, Math.min(head, (page + 1) * PAGE))
    }
  }

  /** The event, loaded if necessary; `undefined` if it does not exist or cannot be loaded. */
  async load(sequence: number): Promise<SessionEvent | undefined> {
    if (this.peek(sequence) === undefined) await this.#fetch(pageOf(sequence), sequence)
    return this.peek(sequence)
  }

  /** Adds events from the stream. */
  add(events: readonly SessionEvent[]): void {
    for (const event of events) {
      const number = pageOf(event.sequence)
      const page = this.#pages.get(number) ?? new Map<number, SessionEvent>()
      page.set(event.sequence, event)
      this.#touch(number, page)
    }
    this.outline.add(events)
    this.version.value++
  }

  /** Drops everything. */
  clear(): void {
    this.#pages.clear()
    this.outline.clear()
    this.version.value++
  }

  #touch(number: number, page: Map<number, SessionEvent>): void {
    this.#pages.delete(number)
    this.#pages.set(number, page)
    const [oldest] = this.#pages.keys()
    if (this.#pages.size > KEPT && oldest !== undefined) this.#pages.delete(oldest)
  }

  /**
   * Loads unknown events around a place in the background, the nearest first, one read at a time. Another call
   * replaces the goal.
   */
  fill(goal: FillGoal): void {
    const isRunning = this.#goal !== undefined
    this.#goal = { ...goal, reads: 0 }
    if (!isRunning) void this.#fill()
  }

  async #fill(): Promise<void> {
    for (let goal = this.#goal; goal !== undefined; goal = this.#goal) {
      const next = goal.reads < READS && this.problem.peek() === undefined ? this.#nextGap(goal) : undefined
      if (next === undefined || this.#signal.aborted) this.#goal = undefined
      else {
        goal.reads++
        await this.#read(next.from - 1, next.to, next.to, 1)
      }
    }
  }

  /** Unknown events of a goal, as many as one read takes: those nearest to its place. */
  #nextGap({ near, from, to }: FillGoal): Gap | undefined {
    const gaps: Gap[] = []
    for (const piece of this.outline.pieces(from, to)) if (piece.kind === 'gap') gaps.push(piece)
    const distance = (gap: Gap) => Math.max(gap.from - near, near - gap.to)
    const nearest = gaps.reduce<Gap | undefined>((a, b) => (a && distance(a) <= distance(b) ? a : b), undefined)
    if (nearest === undefined) return undefined
    // away from the place, so that what it shows grows without holes
    const rest = nearest.to < near ? gaps.toReversed() : gaps
    let read = nearest
    for (const gap of rest) {
      const joined = { from: Math.min(read.from, gap.from), to: Math.max(read.to, gap.to) }
      const isNext = gap.to === read.from - 1 || gap.from === read.to + 1
      if (isNext && joined.to - joined.from < LIMITS.page) read = joined
    }
    return read
  }

  #fetch(page: number, last: number): Promise<void> {
    const end = (page + 1) * PAGE
    const pending =
      this.#pending.get(page) ?? this.#read(page * PAGE, end, last).finally(() => this.#pending.delete(page))
    this.#pending.set(page, pending)
    return pending
  }

  /** Loads events after a sequence up to `end`, at least to `last`. A response with large events ends early. */
  async #read(start: number, end: number, last: number, most = Number.POSITIVE_INFINITY): Promise<void> {
    try {
      let reads = 0
      for (let after = start; after < last && reads < most; reads++) {
        const items = await getEvents(this.#id, { after, limit: end - after }, this.#signal)
        this.problem.value = undefined
        this.add(items)
        after = items.at(-1)?.sequence ?? last
      }
    } catch (error) {
      if (!this.#signal.aborted) this.problem.value = toProblem(error)
    }
  }
}
