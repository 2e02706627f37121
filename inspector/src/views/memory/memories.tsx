import { Button } from '../../parts/button.tsx'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { now } from '../../parts/time.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { visible } from '../../parts/visible.ts'
import { query } from '../../route.ts'
import { parseFilter } from './filters.tsx'
import css from './memory.module.css'
import { SEARCH_LIMIT, searchMemories, type User } from './memory-api.ts'
import { MemoryList } from './memory-list.tsx'
import { formatMemoryCount, matchesFilter } from './memory-text.ts'
import type { LoadedMemories } from './use-memories.ts'

interface MemoriesProps {
  readonly user: User
  /** The loaded memories of the user. */
  readonly all: LoadedMemories
  readonly hrefOf: (id: string) => string
  readonly round: number
}

/** A user's memories: search results, or all of them. */
export function Memories(props: MemoriesProps) {
  const words = (query.value.get('q') ?? '').trim()
  return words === '' ? <AllMemories {...props} /> : <SearchResults {...props} words={words} />
}

function AllMemories({ user, all, hrefOf }: MemoriesProps) {
  const narrowed = parseFilter(query.value)
  const { items, hasMore, isLoading, problem, more, reload } = all
  const wanted = items.filter((memory) => matchesFilter(memory, narrowed, now.value))
  if (items.length === 0 && isLoading) return <Loading />
  if (items.length === 0 && problem !== undefined) return <ProblemNote problem={problem} onRetry={reload} />
  if (items.length === 0) {
    return (
      <Empty title={`No memories of ${visible(user.userId)}.`}>
        <p>
          Memories are created when a session ends or passes a gate, by <code>memories.remember()</code>, by{' '}
          <code>throughline memory import</code>, or when the user asks an agent to remember something.
        </p>
      </Empty>
    )
  }
  return (
    <>
      <ProblemNote problem={problem} onRetry={reload} />
      <div class="row">
        <span class="muted small" role="status">
          {wanted.length === items.length ? '' : `${wanted.length.toLocaleString('en')} of `}
          {hasMore ? `the oldest ${formatMemoryCount(items.length)}` : formatMemoryCount(items.length)}, newest first
        </span>
        {hasMore && <Button look="small" text="Load newer" disabled={isLoading} onClick={more} />}
      </div>
      <MemoryList memories={wanted} hrefOf={hrefOf} label="Memories" />
    </>
  )
}

function SearchResults({ user, hrefOf, round, words }: MemoriesProps & { words: string }) {
  const { category, minConfidence } = parseFilter(query.value)
  const { userId, tenant } = user
  const { value, problem, isLoading, reload } = useRequest(
    (signal) => searchMemories({ userId, tenant, query: words, category, minConfidence }, signal),
    [userId, tenant, words, category, minConfidence, round],
  )
  return (
    <>
      <ProblemNote problem={problem} onRetry={reload} />
      {value === undefined && isLoading && <Loading what="Searching" />}
      {value?.length === 0 && (
        <Empty title="No matching memories.">
          <p>Search matches words and skips superseded and expired memories.</p>
        </Empty>
      )}
      {value !== undefined && value.length > 0 && (
        <>
          <p class="muted small" role="status">
            {value.length === SEARCH_LIMIT ? `The best ${SEARCH_LIMIT}` : `${value.length} found`}, best first
          </p>
          <div class={css.found} data-busy={isLoading}>
            <MemoryList memories={value} hrefOf={hrefOf} label="Memories" />
          </div>
        </>
      )}
    </>
  )
}
