import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Problem, toProblem } from '../../api/problem.ts'
import type { Memory } from '../../api/types.ts'
import { listMemories, type User } from './memory-api.ts'
import { sortNewestFirst } from './memory-text.ts'

/** Memories of a user as far as they were read: the server begins with the oldest, here the newest of them are first. */
export interface MemoryPages {
  readonly items: readonly Memory[]
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly problem: Problem | undefined
  /** Reads on. */
  readonly more: () => void
  /** Reads what was read once more. */
  readonly again: () => void
}

interface State {
  readonly items: readonly Memory[]
  readonly next: string | undefined
  readonly isLoading: boolean
  readonly problem: Problem | undefined
}

const EMPTY: State = { items: [], next: undefined, isLoading: true, problem: undefined }

/** Pages that are read again at most when something may have changed. */
const MAX_REREAD_PAGES = 10

/** How much is read at once, and after how many milliseconds it is read anew while the page is seen. */
interface Pages {
  readonly limit: number
  readonly pages: number
  readonly every?: number
}

/** Reads `pages` pages of `limit` memories, more when asked, and what was read anew whenever `round` moves. */
export function useMemoryPages(user: User | undefined, { limit, pages, every }: Pages, round: number): MemoryPages {
  const [state, setState] = useState(EMPTY)
  const control = useRef(new AbortController())
  const read = (before: readonly Memory[], cursor: string | undefined, howMany: number) => {
    control.current.abort()
    control.current = new AbortController()
    const { signal } = control.current
    if (user === undefined) return setState({ ...EMPTY, isLoading: false })
    setState((last) => ({ ...last, isLoading: true }))
    readPages(user, cursor, limit, howMany, signal).then(
      ({ items, next }) => setState({ items: [...before, ...items], next, isLoading: false, problem: undefined }),
      (error: unknown) => {
        if (!signal.aborted) setState((last) => ({ ...last, isLoading: false, problem: toProblem(error) }))
      },
    )
  }
  const again = () => {
    const known = Math.ceil(state.items.length / limit)
    read([], undefined, Math.max(pages, Math.min(MAX_REREAD_PAGES, known)))
  }
  const whose = user === undefined ? '' : JSON.stringify([user.tenant, user.userId])
  const last = useRef(whose)
  useEffect(() => {
    const isSame = last.current === whose
    last.current = whose
    if (!isSame) setState(EMPTY)
    if (isSame) again()
    else read([], undefined, pages)
  }, [whose, round])
  const tick = useRef(again)
  tick.current = () => {
    // not where somebody waits for something else, nor where it would let go of what was read
    const isLong = state.items.length > limit * MAX_REREAD_PAGES
    if (document.visibilityState === 'visible' && !state.isLoading && !isLong) again()
  }
  useEffect(() => {
    if (every === undefined) return
    const timer = setInterval(() => tick.current(), every)
    return () => clearInterval(timer)
  }, [whose, every])
  useEffect(() => () => control.current.abort(), [])
  const { next, isLoading, problem } = state
  const items = useMemo(() => sortNewestFirst(state.items), [state.items])
  const more = () => read(state.items, next, pages)
  return { items, hasMore: next !== undefined, isLoading, problem, more, again }
}

async function readPages(
  user: User,
  cursor: string | undefined,
  limit: number,
  pages: number,
  signal: AbortSignal,
): Promise<{ items: Memory[]; next: string | undefined }> {
  const items: Memory[] = []
  let next = cursor
  for (let page = 0; page < pages; page++) {
    const found = await listMemories(user, next, signal, limit)
    items.push(...found.items)
    next = found.nextCursor
    if (next === undefined) break
  }
  return { items, next }
}
