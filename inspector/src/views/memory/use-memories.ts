import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Memory } from '../../api/types.ts'
import { usePagedList } from '../../parts/paged-list.ts'
import type { Request } from '../../parts/use-request.ts'
import { listMemories, type User } from './memory-api.ts'
import { sortNewestFirst } from './memory-text.ts'

/** The loaded memories of a user, newest first. The server starts with the oldest. */
export interface LoadedMemories extends Omit<Request<unknown>, 'value'> {
  readonly items: readonly Memory[]
  readonly hasMore: boolean
  readonly more: () => void
}

/** Most pages to reload when something may have changed. */
const MAX_RELOADED_PAGES = 10

interface Options {
  readonly limit: number
  /** Pages to load at first, and with each `more`. */
  readonly pages: number
  /** Milliseconds between reloads while the page is visible. */
  readonly every?: number
}

/** Loads a user's memories, and reloads them when `round` changes. */
export function useMemories(user: User | undefined, { limit, pages, every }: Options, round: number): LoadedMemories {
  const owner = user && JSON.stringify([user.tenant, user.userId])
  const list = usePagedList<Memory>(
    async (cursor, signal) => (user === undefined ? { items: [] } : await listMemories(user, cursor, signal, limit)),
    [owner],
    pages,
  )
  const reload = () => {
    const loaded = Math.ceil(list.items.peek().length / limit)
    void list.reload((read) => read >= Math.max(pages, Math.min(MAX_RELOADED_PAGES, loaded)))
  }
  const loadedRound = useRef(round)
  useEffect(() => {
    if (loadedRound.current !== round) reload()
    loadedRound.current = round
  }, [round])
  useEffect(() => {
    if (every === undefined) return
    const timer = setInterval(() => {
      // a reload must neither abort another read nor drop pages of a long list
      const isLong = list.items.peek().length > limit * MAX_RELOADED_PAGES
      if (document.visibilityState === 'visible' && !list.isLoading.peek() && !isLong) reload()
    }, every)
    return () => clearInterval(timer)
  }, [list, every])
  const hasLoaded = list.hasLoaded.value
  const problem = list.problem.value
  return {
    items: useMemo(() => sortNewestFirst(list.items.value), [list.items.value]),
    hasMore: hasLoaded && list.hasMore.value,
    isLoading: list.isLoading.value || (!hasLoaded && problem === undefined),
    problem,
    more: () => void list.more((read) => read >= pages),
    reload,
  }
}
