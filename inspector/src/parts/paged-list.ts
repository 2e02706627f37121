import { batch, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type Problem, toProblem } from '../api/problem.ts'

/** Reads the page at a cursor, the first one without. A page without `nextCursor` is the last. */
export type ReadPage<T, Cursor = string> = (
  cursor: Cursor | undefined,
  signal: AbortSignal,
) => Promise<{ readonly items: readonly T[]; readonly nextCursor?: Cursor | undefined }>

/** Whether to stop reading after this many pages. */
export type IsEnough = (pages: number) => boolean

const onePage: IsEnough = () => true

/** A list that is read page by page, as far as somebody asked for it. */
export class PagedList<T, Cursor = string> {
  readonly items = signal<readonly T[]>([])
  /** True until the last page has arrived. */
  readonly hasMore = signal(true)
  readonly isLoading = signal(false)
  /** Whether the first page has arrived. */
  readonly hasLoaded = signal(false)
  /** Why the last read failed. */
  readonly problem = signal<Problem | undefined>(undefined)
  readonly #read: ReadPage<T, Cursor>
  #cursor: Cursor | undefined
  #control = new AbortController()

  constructor(read: ReadPage<T, Cursor>) {
    this.#read = read
  }

  /** Reads pages until it is enough. Does nothing while a read is under way, or after the last page. */
  async more(isEnough = onePage): Promise<void> {
    if (this.isLoading.peek() || !this.hasMore.peek()) return
    await this.#load(async (signal) => {
      for (let pages = 1; ; pages++) {
        const { items, nextCursor } = await this.#read(this.#cursor, signal)
        if (signal.aborted) return
        this.#show([...this.items.peek(), ...items], nextCursor)
        if (nextCursor === undefined || isEnough(pages)) return
      }
    })
  }

  /** Reads from the start. The items stay until all of the new ones are here. */
  async reload(isEnough = onePage): Promise<void> {
    await this.#load(async (signal) => {
      const all: T[] = []
      let cursor: Cursor | undefined
      let pages = 0
      do {
        const { items, nextCursor } = await this.#read(cursor, signal)
        all.push(...items)
        cursor = nextCursor
      } while (!signal.aborted && cursor !== undefined && !isEnough(++pages))
      if (!signal.aborted) this.#show(all, cursor)
    })
  }

  /** Drops the read that is under way. */
  stop(): void {
    this.#control.abort()
    this.isLoading.value = false
  }

  #show(items: readonly T[], cursor: Cursor | undefined): void {
    this.#cursor = cursor
    batch(() => {
      this.items.value = items
      this.hasMore.value = cursor !== undefined
      this.hasLoaded.value = true
      this.problem.value = undefined
    })
  }

  async #load(read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.stop()
    this.#control = new AbortController()
    const { signal } = this.#control
    this.isLoading.value = true
    try {
      await read(signal)
    } catch (error) {
      if (!signal.aborted) this.problem.value = toProblem(error)
    }
    if (!signal.aborted) this.isLoading.value = false
  }
}

/** The list behind `read`, with its first `pages` pages. Another list whenever `inputs` change. */
export function usePagedList<T, Cursor = string>(
  read: ReadPage<T, Cursor>,
  inputs: readonly unknown[],
  pages = 1,
): PagedList<T, Cursor> {
  const list = useMemo(() => new PagedList(read), inputs)
  useEffect(() => {
    void list.more((read) => read >= pages)
    return () => list.stop()
  }, [list])
  return list
}
