import { useEffect, useRef, useState } from 'preact/hooks'
import { type Problem, problemOf } from '../../api/problem.ts'
import type { Memory } from '../../api/types.ts'
import { listMemories, type User } from './ask.ts'

/** Memories of a user as far as they were read, in order of id. */
export interface MemoryPages {
  readonly items: readonly Memory[]
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly problem: Problem | undefined
  /** Reads on. */
  readonly more: () => void
}

interface State {
  readonly items: readonly Memory[]
  readonly next: string | undefined
  readonly isLoading: boolean
  readonly problem: Problem | undefined
}

const NONE: State = { items: [], next: undefined, isLoading: true, problem: undefined }

/** Pages that are read again at most when something may have changed. */
const AGAIN = 10

/** Reads `pages` pages of `limit` memories, more when asked, and what was read anew whenever `round` moves. */
export function useMemoryPages(
  user: User | undefined,
  { limit, pages }: { limit: number; pages: number },
  round: number,
): MemoryPages {
  const [state, setState] = useState(NONE)
  const control = useRef(new AbortController())
  const read = (before: readonly Memory[], cursor: string | undefined, howMany: number) => {
    control.current.abort()
    control.current = new AbortController()
    const { signal } = control.current
    if (user === undefined) return setState({ ...NONE, isLoading: false })
    setState((last) => ({ ...last, isLoading: true }))
    readPages(user, cursor, limit, howMany, signal).then(
      ({ items, next }) => setState({ items: [...before, ...items], next, isLoading: false, problem: undefined }),
      (error: unknown) => {
        if (!signal.aborted) setState((last) => ({ ...last, isLoading: false, problem: problemOf(error) }))
      },
    )
  }
  const whose = user === undefined ? '' : JSON.stringify([user.tenant, user.userId])
  const last = useRef(whose)
  useEffect(() => {
    const isSame = last.current === whose
    last.current = whose
    if (!isSame) setState(NONE)
    const known = isSame ? Math.ceil(state.items.length / limit) : 0
    read([], undefined, Math.max(pages, Math.min(AGAIN, known)))
  }, [whose, round])
  useEffect(() => () => control.current.abort(), [])
  const { items, next, isLoading, problem } = state
  return { items, hasMore: next !== undefined, isLoading, problem, more: () => read(items, next, pages) }
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
