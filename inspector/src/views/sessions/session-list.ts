import { computed, signal } from '@preact/signals'
import { get } from '../../api/client.ts'
import { type Problem, toProblem } from '../../api/problem.ts'
import type { Page, SessionRecord } from '../../api/types.ts'
import { LIMITS } from '../../domain.ts'
import { PagedList } from '../../parts/paged-list.ts'
import { type Filters, fixedQueryOf, matchesFilters, queryOf } from './filters.ts'
import { EMPTY_LIST, hasNews, newestActivity, settled, withChanges, withoutMissing, withPage } from './list-state.ts'

/** Sessions on the first page; later pages are as large as the server allows. */
const FIRST = 100
/** Milliseconds between two polls, and at most while the server does not respond. */
const POLL = { ms: 2000, longest: 30_000 }
/** Milliseconds that each poll reads again: clocks of several servers may differ. */
const OVERLAP = 10_000
/** Pages of changes that one poll reads. If there are more, the list starts over as soon as rows may move. */
const CHANGES = 4
/** Polls between two checks for purged sessions. */
const PURGED = 5

/** The sessions that match some filters, as far as the reader has scrolled, kept up to date. */
export class SessionList {
  readonly state = signal(EMPTY_LIST)
  readonly pages = new PagedList<SessionRecord>((cursor, signal) =>
    cursor === undefined ? this.#readFirst(signal) : this.#readNext(cursor, signal),
  )
  /** Why changes do not come in. */
  readonly lost = signal<Problem | undefined>(undefined)
  readonly rows = computed((): readonly SessionRecord[] => {
    const { known, order } = this.state.value
    return order.map((id) => known.get(id) as SessionRecord)
  })
  /** Sessions whose sub-agents are shown. */
  readonly open = signal<ReadonlySet<string>>(new Set())
  /** Scroll position when the list was left, in pixels. */
  top = 0
  readonly #filters: Filters
  readonly #matches = (record: SessionRecord) => matchesFilters(record, this.#filters)
  #mayMove = () => true
  #end = new AbortController()
  /** Newest activity that is known, whether it matches or not. */
  #seen: string | undefined
  /** Whether more has changed than was read. */
  #isBehind = false
  #timer: number | undefined
  #polls = 1

  constructor(filters: Filters) {
    this.#filters = filters
  }

  /**
   * Loads the first page, or the changes since it was stopped, and polls while the tab is visible. `mayMove` says
   * whether rows may change places now. Returns the function that stops it.
   */
  start(mayMove: () => boolean): () => void {
    this.#mayMove = mayMove
    this.#end = new AbortController()
    const look = () => {
      this.#polls = 0
      clearTimeout(this.#timer)
      if (document.visibilityState === 'visible') void this.#poll(POLL.ms)
    }
    if (this.pages.hasLoaded.peek()) void this.#poll(POLL.ms)
    else void this.pages.more().then(() => this.#pollIn(POLL.ms))
    document.addEventListener('visibilitychange', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      clearTimeout(this.#timer)
      this.#end.abort()
      this.pages.stop()
    }
  }

  /** Moves the waiting rows to their places. */
  settle(): void {
    if (this.#isBehind) void this.pages.reload()
    else this.state.value = settled(this.state.peek(), this.#matches)
  }

  /** Polls now. */
  retry(): void {
    clearTimeout(this.#timer)
    void this.#poll(POLL.ms)
  }

  /** Shows or hides the sub-agents of a session. */
  readonly toggle = (id: string): void => {
    const open = new Set(this.open.peek())
    if (!open.delete(id)) {
      open.add(id)
      void this.#loadChildren(id)
    }
    this.open.value = open
  }

  /** Loads the sub-agents of a session that the list has not reached yet. */
  async #loadChildren(parent: string): Promise<void> {
    const query = { ...queryOf(this.#filters), parent, limit: LIMITS.page }
    // without them, the list shows those that it has
    const page = await ask(query, this.#end.signal).catch(() => undefined)
    if (page !== undefined) this.state.value = withPage(this.state.peek(), page.items)
  }

  async #readFirst(signal: AbortSignal): Promise<Page<SessionRecord>> {
    // read first: with filters the first page may be empty or old
    const newest = await ask({ ...fixedQueryOf(this.#filters), limit: 1 }, signal)
    const page = await ask({ ...queryOf(this.#filters), limit: FIRST }, signal)
    this.#seen = newestActivity(newest.items)
    this.#isBehind = false
    this.state.value = withPage(EMPTY_LIST, page.items)
    return page
  }

  async #readNext(cursor: string, signal: AbortSignal): Promise<Page<SessionRecord>> {
    const page = await ask({ ...queryOf(this.#filters), limit: LIMITS.page, cursor }, signal)
    this.state.value = withPage(this.state.peek(), page.items)
    return page
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
    if (!this.pages.hasLoaded.peek()) return await this.pages.more()
    const changes = await this.#readChanges()
    const mayMove = this.state.peek().order.length === 0 || this.#mayMove()
    if (mayMove && this.#isBehind) return await this.pages.reload()
    this.state.value = withChanges(this.state.peek(), changes, this.#matches, mayMove)
    if (mayMove && this.#polls++ % PURGED === 0) await this.#dropPurged()
  }

  /** Everything newer than what was seen, and a little before, page by page until one has nothing new. */
  async #readChanges(): Promise<SessionRecord[]> {
    const { known } = this.state.peek()
    const seen = this.#seen ?? ''
    const since = seen === '' ? undefined : new Date(Date.parse(seen) - OVERLAP).toISOString()
    const changes: SessionRecord[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < CHANGES; pages++) {
      const limit = pages === 0 ? FIRST : LIMITS.page
      const query = { ...fixedQueryOf(this.#filters), since, limit, cursor }
      const { items, nextCursor } = await ask(query, this.#end.signal)
      changes.push(...items)
      this.#seen = newestActivity(changes) ?? this.#seen
      if (nextCursor === undefined || !hasNews(items, known, seen)) return changes
      cursor = nextCursor
    }
    this.#isBehind = true
    return changes
  }

  /** A purged session does not show up as a change: it is missing from the first page. */
  async #dropPurged(): Promise<void> {
    const { items, nextCursor } = await ask({ ...queryOf(this.#filters), limit: FIRST }, this.#end.signal)
    this.state.value = withoutMissing(this.state.peek(), items, nextCursor === undefined)
  }
}

function ask(query: Record<string, string | number | undefined>, signal: AbortSignal): Promise<Page<SessionRecord>> {
  return get<Page<SessionRecord>>('/sessions', query, signal)
}
