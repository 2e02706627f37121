import { Button } from '../../parts/button.tsx'
import type { SessionList } from './session-list.ts'
import css from './sessions-view.module.css'

interface Props {
  readonly list: SessionList
  /** Sessions that match the search. */
  readonly shown: number
  readonly isSearching: boolean
  /** Whether the search continues by itself. */
  readonly mayContinue: boolean
  readonly onMore: () => void
}

const number = (value: number) => value.toLocaleString('en')
const sessions = (count: number) => `${number(count)} ${count === 1 ? 'session' : 'sessions'}`

/** How many sessions were loaded or searched, and whether the list is live. */
export function ListStatus({ list, shown, isSearching, mayContinue, onMore }: Props) {
  const loaded = list.rows.value.length
  const hasMore = list.pages.hasMore.value
  const lost = list.lost.value
  const found = `${sessions(shown)} found, searched ${hasMore ? '' : 'all '}${number(loaded)}`
  const listed = hasMore ? `newest ${sessions(loaded)}, scroll for more` : sessions(loaded)
  return (
    <div class={css.found}>
      <span role="status">{list.pages.hasLoaded.value && (isSearching ? found : listed)}</span>
      {isSearching && hasMore && mayContinue && list.pages.isLoading.value && <span>searching…</span>}
      {isSearching && hasMore && !mayContinue && <Button look="small" text="Search 20,000 more" onClick={onMore} />}
      <span class={css.live} data-live={lost === undefined ? 'live' : 'lost'} role="status">
        {lost === undefined ? 'live' : 'connection lost, retrying'}
      </span>
      {lost !== undefined && <Button look="small" text="Retry now" onClick={() => list.retry()} />}
    </div>
  )
}
