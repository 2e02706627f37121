import { computed, signal } from '@preact/signals'
import { get } from '../../api/client.ts'
import { type Problem, toProblem } from '../../api/problem.ts'
import type { Page, SessionRecord } from '../../api/types.ts'
import { type Filters, fixedQueryOf, matchesFilters, queryOf } from './filters.ts'
import { EMPTY_LIST, hasNews, newestActivity, settled, withChanges, withoutMissing, withPage } from './list-state.ts'

/** Sessions that are asked for at first, and from then on. */
const FIRST = 100
const NEXT = 500
/** Milliseconds between two looks at what has changed; while there is no answer up to the longest. */
const POLL = { ms: 2000, longest: 30_000 }
/** Milliseconds that are looked at again: clocks of several servers need not agree. */
const OVERLAP = 10_000
/** Pages of changes that are read at once. If there are more, the list begins anew as soon as it may. */
const CHANGES = 4
/** Looks for changes between two looks for what is gone. */
const GONE = 5

/** The sessions that fit some filters, as far as somebody has scrolled, kept up to date. */
export class SessionList {
  readonly listed = signal(EMPTY_LIST)
  readonly isLoading = signal(false)
  /** Whether the first page has come. */
  readonly hasBegun = signal(false)
  readonly hasMore = signal(true)
  /** Why nothing more could be loaded. */
  readonly problem = signal<Problem | undefined>(undefined)
  /** Why changes do not come in. */
  readonly lost = signal<Problem | undefined>(undefined)
  readonly rows = computed((): readonly SessionRecord[] => {
    const { known, order } = this.listed.value
    return order.map((id) => known.get(id) as SessionRecord)
  })
  /** Where somebody had scrolled to when they left, in pixels. */
  top = 0
  readonly #filters: Filters
  readonly #fits = (record: SessionRecord) => matchesFilters(record, this.#filters)
  #mayMove = () => true
  #end = new AbortController()
  #cursor: string | undefined
  /** Newest activity that is known of, whether it fits or not. */
  #seen: string | undefined
  /** Whether more has changed than was read. */
  #isBehind = false
  #timer: number | undefined
  /** Looks for changes since somebody began to look. */
  #looks = 1

  constructor(filters: Filters) {
    this.#filters = filters
  }

  /**
   * Loads the first page, or what has changed since it was ended, and looks for changes while the tab is seen. `mayMove` says
   * whether rows may change their places now. Returns the function that ends it.
   */
  start(mayMove: () => boolean): () => void {
    this.#mayMove = mayMove
    this.#end = new AbortController()
    const look = () => {
      this.#looks = 0
      clearTimeout(this.#timer)
      if (document.visibilityState === 'visible') void this.#poll(POLL.ms)
    }
    if (this.hasBegun.peek()) void this.#poll(POLL.ms)
    else void this.#begin().then(() => this.#pollIn(POLL.ms))
    document.addEventListener('visibilitychange', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      clearTimeout(this.#timer)
      this.#end.abort()
    }
  }

  /** Loads the next page; does nothing while one is on its way, or where there is none. */
  async more(): Promise<void> {
    if (this.isLoading.peek() || !this.hasMore.peek()) return
    if (!this.hasBegun.peek()) return await this.#begin()
    await this.#load(async () => {
      const { items, nextCursor } = await this.#ask({ ...queryOf(this.#filters), limit: NEXT, cursor: this.#cursor })
      this.listed.value = withPage(this.listed.peek(), items)
      return nextCursor
    })
  }

  /** Loads the first page, in place of what there is. */
  async #begin(): Promise<void> {
    await this.#load(async () => {
      // asked for first: with filters the first page may be empty, or old
      const newest = await this.#ask({ ...fixedQueryOf(this.#filters), limit: 1 })
      const { items, nextCursor } = await this.#ask({ ...queryOf(this.#filters), limit: FIRST })
      this.#seen = newestActivity(newest.items)
      this.listed.value = withPage(EMPTY_LIST, items)
      this.hasBegun.value = true
      this.#isBehind = false
      return nextCursor
    })
  }

  async #load(page: () => Promise<string | undefined>): Promise<void> {
    if (this.isLoading.peek()) return
    const { signal: end } = this.#end
    this.isLoading.value = true
    try {
      this.#cursor = await page()
      this.hasMore.value = this.#cursor !== undefined
      this.problem.value = undefined
    } catch (error) {
      if (!end.aborted) this.problem.value = toProblem(error)
    }
    this.isLoading.value = false
  }

  /** Brings the rows that wait to their places. */
  settle(): void {
    if (this.#isBehind) void this.#begin()
    else this.listed.value = settled(this.listed.peek(), this.#fits)
  }

  /** Looks for changes now. */
  retry(): void {
    clearTimeout(this.#timer)
    void this.#poll(POLL.ms)
  }

  async #poll(wait: number): Promise<void> {
    const { signal: end } = this.#end
    let next = POLL.ms
    try {
      await this.#takeChanges()
      this.lost.value = undefined
    } catch (error) {
      if (end.aborted) return
      this.lost.value = toProblem(error)
      next = Math.min(wait * 2, POLL.longest)
    }
    this.#pollIn(next)
  }

  #pollIn(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#end.signal.aborted || document.visibilityState === 'hidden') return
    this.#timer = window.setTimeout(() => void this.#poll(ms), ms)
  }

  async #takeChanges(): Promise<void> {
    if (!this.hasBegun.peek()) return await this.#begin()
    const changes = await this.#readChanges()
    const isFree = this.listed.peek().order.length === 0 || this.#mayMove()
    if (isFree && this.#isBehind) return await this.#begin()
    this.listed.value = withChanges(this.listed.peek(), changes, this.#fits, isFree)
    if (isFree && this.#looks++ % GONE === 0) await this.#dropGone()
  }

  /** What is newer than what was seen, and a little of what is not, page by page until one has nothing new. */
  async #readChanges(): Promise<SessionRecord[]> {
    const { known } = this.listed.peek()
    const seen = this.#seen ?? ''
    const since = seen === '' ? undefined : new Date(Date.parse(seen) - OVERLAP).toISOString()
    const changes: SessionRecord[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < CHANGES; pages++) {
      const limit = pages === 0 ? FIRST : NEXT
      const { items, nextCursor } = await this.#ask({ ...fixedQueryOf(this.#filters), since, limit, cursor })
      changes.push(...items)
      this.#seen = newestActivity(changes) ?? this.#seen
      if (nextCursor === undefined || !hasNews(items, known, seen)) return changes
      cursor = nextCursor
    }
    this.#isBehind = true
    return changes
  }

  /** What was purged does not change: it is missing. */
  async #dropGone(): Promise<void> {
    const { items, nextCursor } = await this.#ask({ ...queryOf(this.#filters), limit: FIRST })
    this.listed.value = withoutMissing(this.listed.peek(), items, nextCursor === undefined)
  }

  #ask(query: Record<string, string | number | undefined>): Promise<Page<SessionRecord>> {
    return get<Page<SessionRecord>>('/sessions', query, this.#end.signal)
  }
}
