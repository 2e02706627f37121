import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Loading, ProblemNote } from '../../parts/notes.tsx'
import { useShowMore } from '../../parts/show-more.tsx'
import { oneLine } from '../../parts/visible.ts'
import { memoryHref, query, sessionHref } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { Filters, SearchBox } from './filters.tsx'
import { ListWithDetail } from './list-with-detail.tsx'
import { Memories } from './memories.tsx'
import css from './memory.module.css'
import { MemoryList } from './memory-list.tsx'
import { comesFromSession } from './memory-text.ts'
import { type LoadedMemories, useMemories } from './use-memories.ts'

/** Pages of the user's memories to search for those of the session: the server cannot filter by session. */
const PAGES = { limit: 500, pages: 4 }

/** The memories of this session, and all memories of its user. */
export function SessionMemory({ data }: { data: SessionData }) {
  const record = data.record.value
  const round = useRefresh(data)
  const user = record && { userId: record.userId, tenant: record.tenant }
  const all = useMemories(user, PAGES, round.value)
  const hrefOf = (id: string) => sessionHref(data.id, 'memory', { ...Object.fromEntries(query.value), memory: id })
  if (user === undefined) return <Loading />
  const words = query.value.get('q') ?? ''
  return (
    <div class="stack view">
      <ListWithDetail known={all.items} hrefOf={hrefOf} round={round.value}>
        <section class={`stack-2 ${css.part}`} aria-label="From this session">
          <div class="row between">
            <h2>From this session</h2>
            <Button look="small" text="Refresh" onClick={round.refresh} />
          </div>
          <SessionMemories id={data.id} all={all} hrefOf={hrefOf} />
        </section>
        <section class={`stack-2 ${css.part}`} aria-label="All memories of the user">
          <h2>
            All memories of <bdi>{oneLine(user.userId, 60)}</bdi>
          </h2>
          <div class={`card ${css.controls}`}>
            <SearchBox label="Search" placeholder="words in a memory" />
            <Filters>
              <a class="small" href={memoryHref({ user: user.userId, tenant: user.tenant, q: words, mode: 'said' })}>
                Search everything
              </a>
            </Filters>
          </div>
          <Memories user={user} all={all} hrefOf={hrefOf} round={round.value} />
        </section>
      </ListWithDetail>
    </div>
  )
}

function SessionMemories({ id, all, hrefOf }: { id: string; all: LoadedMemories; hrefOf: (id: string) => string }) {
  const { items, hasMore, isLoading, problem, more, reload } = all
  const own = items.filter((memory) => comesFromSession(memory, id))
  const { shown, more: showMore } = useShowMore(own, 100)
  if (items.length === 0 && isLoading) return <Loading />
  return (
    <>
      <ProblemNote problem={problem} onRetry={reload} />
      {own.length === 0 && problem === undefined && (
        <p class="muted">Nothing yet. Memories are extracted shortly after the session ends or passes a gate.</p>
      )}
      {own.length > 0 && <MemoryList memories={shown} hrefOf={hrefOf} label="Memories from this session" />}
      {showMore && <div>{showMore}</div>}
      {hasMore && (
        <div class="note row">
          <span>Searched the user's oldest {items.length.toLocaleString('en')} memories. There are more.</span>
          <Button look="small" text="Continue" disabled={isLoading} onClick={more} />
        </div>
      )}
    </>
  )
}

/** Milliseconds after an event when its memories are usually, and certainly, extracted. */
const FIRST_REFRESH_MS = 2000
const LAST_REFRESH_MS = 6000

/** Changes some time after an event, because memories are extracted in the background. */
function useRefresh(data: SessionData): { value: number; refresh: () => void } {
  const [value, setValue] = useState(0)
  const refresh = () => setValue((n) => n + 1)
  useEffect(() => {
    let first: number | undefined
    let last: number | undefined
    const stop = data.onEvents(() => {
      first ??= window.setTimeout(() => {
        first = undefined
        refresh()
      }, FIRST_REFRESH_MS)
      clearTimeout(last)
      last = window.setTimeout(refresh, LAST_REFRESH_MS)
    })
    return () => {
      stop()
      clearTimeout(first)
      clearTimeout(last)
    }
  }, [data])
  return { value, refresh }
}
