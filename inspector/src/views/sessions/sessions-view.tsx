import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useServerInfo } from '../../api/server-info.ts'
import { Button } from '../../parts/button.tsx'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { connectHref, query, setQuery } from '../../route.ts'
import { isDemoUnderWay } from '../connect/load-demo-button.tsx'
import { filtersIn, isTree } from './filters.ts'
import { FirstRun } from './first-run.tsx'
import { lastListQuery, listFor } from './last-list.ts'
import { ListStatus } from './list-status.tsx'
import { isMessageSearch, MessageSearch } from './message-search.tsx'
import { matchesSearch, wordsOf } from './search.ts'
import { SessionTable } from './session-table.tsx'
import { flatRows, treeRows } from './session-tree.ts'
import css from './sessions-view.module.css'
import { clearFilters, Toolbar } from './toolbar.tsx'
import { useStableRows } from './use-stable-rows.ts'

/** Sessions that are searched before the reader has to ask for more. */
const SEARCHED = 20_000

/** Every session that the caller may see, newest activity first. */
export function SessionsView() {
  const filters = filtersIn(query.value)
  const search = query.value.get('q') ?? ''
  const about = useServerInfo()
  const stable = useStableRows()
  const key = JSON.stringify(filters)
  const list = useMemo(() => listFor(filters, Object.fromEntries(query.value)), [key])
  // the cleanup of an effect comes too late: the table is gone, and the reader may be back, with the list started again
  useLayoutEffect(() => {
    const stop = list.start(stable.mayMove)
    // rows that appear again later start at the top
    list.top = 0
    return () => {
      list.top = stable.top()
      stop()
    }
  }, [list])
  useEffect(() => {
    lastListQuery.value = Object.fromEntries(query.value)
  }, [query.value])

  const rows = list.rows.value
  const words = useMemo(() => wordsOf(search), [search])
  const shown = useMemo(
    () => (words.length === 0 ? rows : rows.filter((row) => matchesSearch(row, words))),
    [rows, words],
  )
  const open = list.open.value
  const hasTree = words.length === 0 && isTree(filters)
  const tree = useMemo(() => (hasTree ? treeRows(shown, open) : flatRows(shown)), [shown, open, hasTree])
  const [need, setNeed] = useState(0)
  const [most, setMost] = useState(SEARCHED)
  const onNeed = useCallback((count: number) => setNeed(count), [])
  const isSearching = words.length > 0
  const isInMessages = isSearching && isMessageSearch()
  const mayContinue = !isSearching || rows.length < most
  const isLoading = list.pages.isLoading.value
  const hasMore = list.pages.hasMore.value
  const problem = list.pages.problem.value
  useEffect(() => {
    if (
      !isLoading &&
      hasMore &&
      mayContinue &&
      problem === undefined &&
      !isInMessages &&
      tree.length < Math.max(need, 1)
    )
      void list.pages.more()
  }, [list, isLoading, hasMore, mayContinue, problem, tree.length, rows.length, need, isInMessages])
  // each search counts from zero
  useEffect(() => setMost(SEARCHED), [search, list])

  const hasLoaded = list.pages.hasLoaded.value
  const isEmpty = hasLoaded && rows.length === 0 && !hasMore
  const wasEmpty = useRef(false)
  // the demo adds sessions one by one: its progress stays visible until it is done
  wasEmpty.current = isEmpty || (wasEmpty.current && isDemoUnderWay.value)
  const isFirstRun = wasEmpty.current && Object.keys(filters).length === 0 && !isSearching
  const isOperator = about !== undefined && about.principal === undefined
  if (isFirstRun && !isOperator) return <FirstRun />
  return (
    <div class={css.sessions}>
      <h1 class="hidden">Sessions</h1>
      <Toolbar
        filters={filters}
        search={search}
        agents={about?.agents ?? []}
        rows={rows}
        hasUsers={about?.principal?.userId === undefined}
        hasTenants={isOperator || filters.tenant !== undefined}
      />
      {isSearching && <SearchScope />}
      {isInMessages && (
        <MessageSearch
          text={search}
          user={filters.user}
          tenant={filters.tenant}
          recordOf={(id) => list.state.peek().known.get(id)}
        />
      )}
      {!isInMessages && (
        <ListStatus
          list={list}
          shown={shown.length}
          isSearching={isSearching}
          mayContinue={mayContinue}
          onMore={() => setMost(most + SEARCHED)}
        />
      )}
      <ProblemNote problem={problem} onRetry={() => void list.pages.more()} />
      {!hasLoaded && problem === undefined && <Loading />}
      {isFirstRun && <EmptyTenant />}
      {shown.length > 0 && !isFirstRun && !isInMessages && (
        <div class={css.list}>
          <SessionTable
            rows={tree}
            onToggle={list.toggle}
            top={list.top}
            hasMore={hasMore}
            onScroller={stable.onScroller}
            onNeed={onNeed}
          />
          <ShowChanges
            count={list.state.value.waiting.size}
            onShow={() => {
              list.settle()
              stable.toTop()
            }}
          />
        </div>
      )}
      {hasLoaded && shown.length === 0 && !isFirstRun && !isInMessages && !(isSearching && hasMore && mayContinue) && (
        <NoMatches isSearching={isSearching} hasFilters={key !== '{}'} />
      )}
    </div>
  )
}

/** Chooses what the search is for. */
function SearchScope() {
  const isInMessages = isMessageSearch()
  return (
    <fieldset class="row">
      <legend class="hidden">Search in</legend>
      <Button look="small" text="Sessions" aria-pressed={!isInMessages} onClick={() => setQuery({ in: undefined })} />
      <Button look="small" text="Messages" aria-pressed={isInMessages} onClick={() => setQuery({ in: 'messages' })} />
    </fieldset>
  )
}

/** Says how many rows wait to move, and moves them on click. */
function ShowChanges({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <div class={css.waiting} role="status">
      {count > 0 && <Button text={`Show ${count.toLocaleString('en')} changed`} onClick={onShow} />}
    </div>
  )
}

/** For operators, who see one tenant at a time, first “local”. */
function EmptyTenant() {
  return (
    <Empty title="Tenant “local” has no sessions. Choose a tenant above.">
      <p>
        The list shows one tenant at a time. To write a session, see <a href={connectHref()}>Connect</a>.
      </p>
    </Empty>
  )
}

function NoMatches({ isSearching, hasFilters }: { isSearching: boolean; hasFilters: boolean }) {
  return (
    <Empty title={isSearching ? 'No sessions match your search.' : 'No sessions match these filters.'}>
      <p class="row small">
        {isSearching && <Button text="Clear search" onClick={() => setQuery({ q: undefined })} />}
        {hasFilters && <Button text="Clear filters" onClick={clearFilters} />}
      </p>
    </Empty>
  )
}
