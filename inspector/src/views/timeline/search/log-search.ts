import { signal } from '@preact/signals'
import { getEvents } from '../../../api/client.ts'
import { type Problem, toProblem } from '../../../api/problem.ts'
import type { SessionEvent } from '../../../api/types.ts'
import { LIMITS } from '../../../domain.ts'
import { foldText } from '../../../parts/fold-text.ts'
import type { SessionData } from '../../../session/session-data.ts'
import { searchedText } from './event-text.ts'

/** Events that one look reads before the reader has to ask for more. */
export const LOOK = 20_000
/** Characters that are kept for the next search, and that one look reads. */
const KEPT = 20_000_000
/** Milliseconds of work after which the page may draw. */
const SLICE = 10

/** An event with its folded text. */
interface Entry {
  readonly sequence: number
  readonly text: string
}

/** What is known about a search. */
export interface SearchState {
  /** Sequences of the events that match, in order. */
  readonly matches: readonly number[]
  /** The oldest event that was searched. */
  readonly from: number
  readonly isRunning: boolean
  readonly problem: Problem | undefined
}

const NOTHING: SearchState = { matches: [], from: Number.POSITIVE_INFINITY, isRunning: false, problem: undefined }

/**
 * Searches the log of a session from its end, page by page. Keeps the text of what it read, so the next search needs no
 * requests.
 */
export class LogSearch {
  readonly state = signal<SearchState>(NOTHING)
  readonly #data: SessionData
  /** Newest first. */
  readonly #texts: Entry[] = []
  #kept = 0
  #control = new AbortController()
  /** The folded text that is searched. */
  wanted = ''

  constructor(data: SessionData) {
    this.#data = data
  }

  /** Searches new events as they arrive. Returns the function that stops it. */
  follow(): () => void {
    const unsubscribe = this.#data.onEvents((events) => {
      this.#keepNew(events)
      const found = this.wanted === '' ? [] : events.filter((event) => searchedText(event).includes(this.wanted))
      if (found.length === 0) return
      const { matches, ...state } = this.state.peek()
      this.state.value = { ...state, matches: [...matches, ...found.map(({ sequence }) => sequence)] }
    })
    return () => {
      unsubscribe()
      this.#control.abort()
    }
  }

  /** Searches the last events for a text; nothing for an empty one. */
  start(text: string): void {
    this.#control.abort()
    this.wanted = foldText(text.trim())
    this.state.value = { ...NOTHING, isRunning: this.wanted !== '' }
    if (this.wanted !== '') void this.#run(this.#data.head.peek() + 1)
  }

  /** Searches older events. */
  more(): void {
    const { from, isRunning } = this.state.peek()
    if (isRunning || from <= 1) return
    this.state.value = { ...this.state.peek(), isRunning: true, problem: undefined }
    void this.#run(from)
  }

  /** Searches events before a sequence, as many as one look reads. */
  async #run(start: number): Promise<void> {
    this.#control = new AbortController()
    const { signal } = this.#control
    try {
      for await (const page of this.#pages(start, signal)) {
        if (signal.aborted) return
        const found = page.filter(({ text }) => text.includes(this.wanted)).map(({ sequence }) => sequence)
        const { matches, ...state } = this.state.peek()
        const from = page.at(-1)?.sequence ?? 1
        this.state.value = { ...state, from, matches: [...found.reverse(), ...matches] }
      }
    } catch (error) {
      if (!signal.aborted) this.state.value = { ...this.state.peek(), problem: toProblem(error) }
    }
    if (!signal.aborted) this.state.value = { ...this.state.peek(), isRunning: false }
  }

  /** The texts before a sequence, newest first: kept ones, then from the server. Pauses so the page can draw. */
  async *#pages(start: number, signal: AbortSignal) {
    let before = start
    let events = 0
    let size = 0
    let sliced = performance.now()
    while (before > 1 && events < LOOK && size < KEPT) {
      const page = this.#known(before) ?? (await this.#read(before, signal))
      yield page
      events += page.length
      size += page.reduce((sum, { text }) => sum + text.length, 0)
      before = page.at(-1)?.sequence ?? 1
      if (performance.now() - sliced < SLICE) continue
      await pause()
      sliced = performance.now()
    }
  }

  #keepNew(events: readonly SessionEvent[]): void {
    const [newest] = this.#texts
    if (newest === undefined) return
    if (events[0]?.sequence === newest.sequence + 1) this.#texts.unshift(...events.map(entryOf).reverse())
    else this.#texts.length = 0
  }

  /** Kept texts before a sequence; `undefined` if the next one is not kept. */
  #known(before: number): readonly Entry[] | undefined {
    const newest = this.#texts[0]?.sequence ?? 0
    const first = newest - before + 1
    if (this.#texts.length === 0 || first < 0 || this.#texts[first] === undefined) return undefined
    return this.#texts.slice(first, first + LIMITS.page)
  }

  async #read(before: number, signal: AbortSignal): Promise<readonly Entry[]> {
    const events = await getEvents(this.#data.id, { before, order: 'desc', limit: LIMITS.page }, signal)
    const page: Entry[] = []
    let sliced = performance.now()
    for (const event of events) {
      page.push(entryOf(event))
      if (performance.now() - sliced < SLICE) continue
      await pause()
      sliced = performance.now()
    }
    const isNext = this.#texts.length === 0 || this.#texts.at(-1)?.sequence === before
    if (isNext && this.#kept < KEPT) {
      this.#texts.push(...page)
      this.#kept += page.reduce((sum, { text }) => sum + text.length, 0)
    }
    return page
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve))

const entryOf = (event: SessionEvent): Entry => ({ sequence: event.sequence, text: searchedText(event) })
