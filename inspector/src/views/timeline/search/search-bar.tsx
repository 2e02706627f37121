import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../../parts/button.tsx'
import { ProblemNote } from '../../../parts/notes.tsx'
import { SearchInput } from '../../../parts/search-input.tsx'
import { useQueryText } from '../../../parts/use-query-text.ts'
import { visible } from '../../../parts/visible.ts'
import type { SessionData } from '../../../session/session-data.ts'
import { type Snippet, snippetOf } from './event-text.ts'
import { LOOK, type LogSearch } from './log-search.ts'
import css from './search-bar.module.css'
import type { TimelineSearch } from './use-log-search.ts'

interface Props extends TimelineSearch {
  readonly data: SessionData
  /** The event that the address names. */
  readonly named: number | undefined
}

/** Searches the session: how many events match, the current one, and the way to the next. */
export function SearchBar({ data, search, find, named, onMatch }: Props) {
  const [text, setText] = useQueryText('find')
  const { matches, problem } = search.state.value
  const place = named === undefined ? -1 : matches.indexOf(named)
  return (
    <search class={css.bar}>
      <form
        class={css.form}
        data-keeps-focus=""
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() !== find) setText(text, true)
          else onMatch(1)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !event.shiftKey) return
          event.preventDefault()
          onMatch(-1)
        }}
      >
        <SearchInput label="Search this session" value={text} onInput={setText} />
        <Button
          look="small"
          text="↑"
          aria-label="Previous match"
          disabled={matches.length === 0}
          onClick={() => onMatch(-1)}
        />
        <Button
          look="small"
          text="↓"
          aria-label="Next match"
          disabled={matches.length === 0}
          onClick={() => onMatch(1)}
        />
      </form>
      {find !== '' && <Found data={data} search={search} place={place} />}
      {find !== '' && place >= 0 && <MatchText data={data} sequence={matches[place] ?? 0} find={search.wanted} />}
      <ProblemNote problem={problem} onRetry={() => search.more()} />
    </search>
  )
}

const number = (value: number) => value.toLocaleString('en')

/** How many events match, and how much was searched. */
function Found({ data, search, place }: { data: SessionData; search: LogSearch; place: number }) {
  const { matches, from, isRunning } = search.state.value
  const head = data.head.value
  const count = `${number(matches.length)} ${matches.length === 1 ? 'event' : 'events'}`
  const isPart = !isRunning && from > 1 && Number.isFinite(from)
  return (
    <span class={css.found}>
      <span role="status">
        {isRunning && matches.length === 0 && 'Searching …'}
        {!isRunning && matches.length === 0 && 'No matches'}
        {matches.length > 0 && (place < 0 ? count : `${number(place + 1)} of ${count}`)}
        {isPart && ` in the last ${number(head - from + 1)} of ${number(head)} events`}
      </span>
      {isPart && <Button look="small" text={`Search ${number(LOOK)} more`} onClick={() => search.more()} />}
    </span>
  )
}

/** The text around the match, which may be far down in the event. */
function MatchText({ data, sequence, find }: { data: SessionData; sequence: number; find: string }) {
  const [snippet, setSnippet] = useState<Snippet | undefined>(undefined)
  useEffect(() => {
    let isOver = false
    void data.log.load(sequence).then((event) => {
      if (!isOver) setSnippet(event === undefined ? undefined : snippetOf(event, find))
    })
    return () => {
      isOver = true
    }
  }, [data, sequence, find])
  if (snippet === undefined) return null
  return (
    <p class={css.snippet} dir="auto">
      {visible(snippet.before)}
      <mark>{visible(snippet.match)}</mark>
      {visible(snippet.after)}
    </p>
  )
}
