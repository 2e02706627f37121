import { computed, signal } from '@preact/signals'
import { getEvents } from '../api/client.ts'
import type { SessionEvent } from '../api/types.ts'
import { PagedList } from '../parts/paged-list.ts'
import type { SessionData } from './session-data.ts'

/** Which events a feed holds, and what it keeps of each. */
export interface FeedOptions<T> {
  /** Types to ask the server for; absent: all. */
  readonly types?: readonly string[] | undefined
  readonly isShown?: (event: SessionEvent) => boolean
  readonly toItem: (event: SessionEvent) => T
  /** Events in one read. */
  readonly pageSize: number
  /** Events that are kept; the oldest go first. */
  readonly most?: number
}

/** Events of a session, from the end of its log back as far as somebody asked, and each new one as it arrives. */
export class EventFeed<T extends { readonly sequence: number } = SessionEvent> {
  /** Newest first, without the events that arrived since. */
  readonly list: PagedList<T, number>
  /** The stream may repeat events that were read: each is here once. */
  readonly #all = computed((): readonly T[] => {
    if (!this.list.hasLoaded.value) return []
    const read = this.list.items.value.toReversed()
    const last = read.at(-1)?.sequence ?? 0
    return [...read, ...this.#arrived.value.filter(({ sequence }) => sequence > last)]
  })
  /** Oldest first. */
  readonly events = computed(() =>
    this.#all.value.length > this.#most ? this.#all.value.slice(-this.#most) : this.#all.value,
  )
  /** Whether the session has older events of this kind that are not here. */
  readonly hasMore = computed(() => this.list.hasMore.value || this.#all.value.length > this.#most)
  /** Sequence of the oldest event that was read, shown or not; 1 when all were. */
  readonly from = signal(Number.POSITIVE_INFINITY)
  /** Characters of text that were read. */
  textRead = 0
  readonly #arrived = signal<readonly T[]>([])
  readonly #data: SessionData
  readonly #options: FeedOptions<T>
  readonly #most: number

  constructor(data: SessionData, options: FeedOptions<T>) {
    this.#data = data
    this.#options = options
    this.#most = options.most ?? Number.MAX_SAFE_INTEGER
    this.list = new PagedList((before, signal) => this.#read(before, signal))
  }

  /** Takes events as they arrive. Returns the function that stops that, and any read. */
  follow(): () => void {
    const unsubscribe = this.#data.onEvents((events) => {
      const shown = this.#shown(events)
      if (shown.length > 0) this.#arrived.value = [...this.#arrived.peek(), ...shown].slice(-this.#most)
    })
    return () => {
      unsubscribe()
      this.list.stop()
    }
  }

  async #read(before: number | undefined, signal: AbortSignal) {
    const { types, pageSize: limit } = this.#options
    const query = { types, order: 'desc', limit, before }
    const items = await getEvents(this.#data.id, query, signal)
    for (const { content } of items) this.textRead += content.length
    const oldest = items.length < limit ? 1 : (items.at(-1)?.sequence ?? 1)
    this.from.value = oldest
    return { items: this.#shown(items), nextCursor: oldest > 1 ? oldest : undefined }
  }

  #shown(events: readonly SessionEvent[]): T[] {
    const { types, isShown, toItem } = this.#options
    return events
      .filter((event) => (types?.includes(event.type) ?? true) && (isShown?.(event) ?? true))
      .map((event) => toItem(event))
  }
}
