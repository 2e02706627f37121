import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { isOver } from '../../parts/status.tsx'
import { query, setQuery } from '../../route.ts'
import { type HiddenPart, hiddenParts, REWIND_TYPES, type Rewind, toRewind } from '../../session/rewinds.ts'
import type { SessionData } from '../../session/session-data.ts'
import { useEvents } from '../../session/use-events.ts'
import type { ActionRunner } from '../actions/action-runner.ts'
import { EVENT_FILTERS, type FilterName, filterNamed } from './event-filters.ts'
import { EventList } from './event-list.tsx'
import { groupedRows } from './grouped-rows.ts'
import { RangeBar } from './range-bar.tsx'
import { endTime, holds, isLast, type Range, rangeWith } from './ranges.ts'
import { RelatedEvents } from './related-events.ts'
import { nearest, rowsOfEntries, rowsOfEvents, rowsOfLog } from './rows.ts'
import { SearchBar } from './search/search-bar.tsx'
import { type TimelineSearch, useLogSearch } from './search/use-log-search.ts'
import { indexSubAgents, type SubAgentIndex } from './sub-agent-index.ts'
import css from './timeline-view.module.css'
import type { LogView } from './tool-calls.ts'
import { Toolbar } from './toolbar.tsx'
import { TurnBar } from './turn-bar.tsx'
import { TurnNumbers } from './turn-numbers.ts'
import { TurnTotalsCache } from './turn-totals.ts'
import { useFilteredEvents } from './use-filtered-events.ts'
import { useGroups } from './use-groups.ts'
import { type Navigation, useNavigation } from './use-navigation.ts'
import { useTurnSteps } from './use-turn-steps.ts'

const BranchesPanel = lazy(async () => (await import('./branches-panel.tsx')).BranchesPanel)

/** Rewinds that are read: their reasons are shown. */
const REWINDS = 200

/** The log of a session by turns, live. */
export function TimelineView({ data, runner }: { data: SessionData; runner: ActionRunner }) {
  const show = filterNamed(query.value.get('show'))
  const asked = Number(query.value.get('event') ?? Number.NaN)
  const head = data.head.value
  const isThere = Number.isInteger(asked) && asked >= 1 && asked <= head
  const target = isThere ? asked : undefined
  const way = useNavigation(data.id)
  const found = useLogSearch(data, way, target)
  const place = useRef(() => head)
  const onTurn = useTurnSteps(data, way)
  const rewinds = useEvents(data, REWIND_TYPES, REWINDS, toRewind).events
  const shared = useShared({ data, runner, rewinds }, found, { place, onTurn })
  return (
    <div class={css.timeline}>
      <Toolbar show={show} head={head} onGo={way.to} />
      <div class={css.finding}>
        <SearchBar {...found} data={data} named={target} />
        <TurnBar onTurn={(direction) => onTurn(direction, place.current())} />
      </div>
      {query.value.has('event') && !isThere && (
        <p class="note small" role="status">
          Event not found. This log has events 1 to {head.toLocaleString('en')}.
        </p>
      )}
      {rewinds.length > 0 && <BranchesPanel id={data.id} rewinds={rewinds} />}
      <ProblemNote problem={data.log.problem.value} onRetry={() => retry(data)} />
      {show === 'all' ? (
        <WholeLog data={data} shared={shared} way={way} target={target} />
      ) : (
        <FilteredLog key={show} data={data} shared={shared} way={way} target={target} show={show} />
      )}
    </div>
  )
}

/** What both lists need. */
interface Shared extends Pick<TimelineSearch, 'find' | 'onMatch'>, Steps {
  readonly totals: TurnTotalsCache
  readonly subAgents: SubAgentIndex
  readonly known: LogView
  readonly links: RelatedEvents
  readonly turns: TurnNumbers
  readonly open: ReadonlySet<string>
  readonly onToggle: (sequence: number, call?: number) => void
  readonly hidden: readonly HiddenPart[]
  readonly onEdit: ((sequence: number, text: string) => void) | undefined
}

interface Steps {
  readonly place: { current: () => number }
  readonly onTurn: (direction: 1 | -1, from: number) => void
}

interface Source {
  readonly data: SessionData
  readonly runner: ActionRunner
  readonly rewinds: readonly Rewind[]
}

function useShared({ data, runner, rewinds }: Source, { find, onMatch }: TimelineSearch, steps: Steps): Shared {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const turns = useMemo(() => new TurnNumbers(), [data])
  const links = useMemo(() => new RelatedEvents(), [data])
  const totals = useMemo(() => new TurnTotalsCache(), [data])
  const children = data.children.items.value
  const subAgents = useMemo(() => indexSubAgents(children), [children])
  const record = data.record.value
  if (record !== undefined) turns.note(record.head, record.turns)
  // something was loaded: draw again
  void data.log.version.value
  const isLive = record !== undefined && !isOver(record)
  const onToggle = useCallback((sequence: number, call?: number) => {
    const key = call === undefined ? `${sequence}` : `${sequence}/${call}`
    setOpen((before) => (before.has(key) ? without(before, key) : new Set([...before, key])))
  }, [])
  const hidden = useMemo(() => hiddenParts(rewinds), [rewinds])
  const onEdit = useCallback(
    (sequence: number, content: string) => runner.open('replace', { sequence: String(sequence), content }),
    [runner],
  )
  const known = { peek: (sequence: number) => data.log.peek(sequence), head: data.head.value, isLive }
  return {
    known,
    links,
    turns,
    totals,
    subAgents,
    open,
    onToggle,
    hidden,
    onEdit: isLive ? onEdit : undefined,
    find,
    onMatch,
    ...steps,
  }
}

interface ListProps {
  data: SessionData
  shared: Shared
  way: Navigation
  /** The event to go to. */
  target: number | undefined
}

function WholeLog({ data, shared, way, target }: ListProps) {
  const { head } = shared.known
  const [range, setRange] = useState<Range>(() => rangeWith(target ?? head, head))
  const shown = target !== undefined && !holds(range, target, head) ? rangeWith(target, head) : range
  useEffect(() => setRange(shown), [shown.from])
  const end = useEnd(head, isLast(shown, head))
  const isGrouped = query.value.get('group') !== 'no'
  const groups = useGroups(target, way.round)
  const { outline } = data.log
  const to = endTime(shown, head)
  const rows = useMemo(() => {
    const { peek } = shared.known
    return isGrouped
      ? rowsOfEntries(groupedRows(outline, shown.from, to, groups.open), peek)
      : rowsOfLog(shown.from, to, peek)
  }, [outline.version, shown.from, to, groups.open, isGrouped])
  return (
    <>
      <RangeBar range={shown} head={head} onOpen={way.to} />
      <div class={css.frame}>
        <EventList
          key={`${shown.from} ${isGrouped}`}
          round={way.round}
          data={data}
          rows={rows}
          isLog
          target={target}
          named={target}
          {...shared}
          onToggleGroup={groups.toggle}
          onGrouping={(sequence) => {
            setQuery({ group: isGrouped ? 'no' : undefined })
            way.replaced(sequence)
          }}
          onEnd={end.onEnd}
          onEdge={(edge) => {
            const sequence = edge === 'first' ? 1 : head
            if (!holds(shown, sequence, head)) way.to(sequence)
          }}
        />
        <NewEvents
          count={end.unseen}
          onClick={() => {
            setRange(rangeWith(head, head))
            way.toEnd()
          }}
        />
      </div>
    </>
  )
}

function FilteredLog({ data, shared, way, target, show }: ListProps & { show: FilterName }) {
  const found = useFilteredEvents(data, EVENT_FILTERS[show], target)
  const { events, from, isReady } = found
  const rows = useMemo(() => rowsOfEvents(events), [events])
  const end = useEnd(events.length, true)
  // older events that load later must not move the reader
  const near = useMemo(() => (target === undefined ? undefined : rows.keyAt(nearest(rows, target))), [target, isReady])
  const isWaiting =
    events.length === 0 ? found.isLoading && found.problem === undefined : target !== undefined && !isReady
  if (isWaiting) return <Loading what="Searching the log" />
  return (
    <>
      <ProblemNote problem={found.problem} onRetry={found.more} />
      <div class="row small muted">
        <span role="status">
          {events.length.toLocaleString('en')} {events.length === 1 ? 'event' : 'events'}
          {from > 1 && Number.isFinite(from) && ` since event ${from.toLocaleString('en')}`}
          {found.isFull && '; older events are not shown'}
        </span>
        {found.hasMore && (
          <Button look="small" text="Load older events" disabled={found.isLoading} onClick={found.more} />
        )}
      </div>
      {events.length === 0 ? (
        <Empty title={from > 1 ? 'Nothing found so far' : 'No matching events'}>
          <p>{EVENT_FILTERS[show].title}.</p>
        </Empty>
      ) : (
        <div class={css.frame}>
          <EventList
            round={way.round}
            data={data}
            rows={rows}
            isLog={false}
            target={near}
            named={target}
            {...shared}
            onToggleGroup={NO_GROUPS}
            onEnd={end.onEnd}
            onStart={found.moreOnScroll}
          />
          <NewEvents count={end.unseen} onClick={way.toEnd} />
        </div>
      )}
    </>
  )
}

/** Counts rows added at the end since the reader was last there. */
function useEnd(last: number, isOpen: boolean) {
  const [isAtEnd, setAtEnd] = useState(true)
  const seen = useRef(last)
  if (isAtEnd && isOpen) seen.current = last
  return { unseen: last - seen.current, onEnd: useCallback((now: boolean) => setAtEnd(now), []) }
}

function NewEvents({ count, onClick }: { count: number; onClick: () => void }) {
  return (
    <div class={css.news} role="status">
      {count > 0 && (
        <Button
          look="primary small"
          text={`${count.toLocaleString('en')} new ${count === 1 ? 'event' : 'events'}`}
          onClick={onClick}
        />
      )}
    </div>
  )
}

/** A filtered list has single events only. */
const NO_GROUPS = () => {}

function retry(data: SessionData): void {
  data.log.problem.value = undefined
  data.log.version.value++
}

function without(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return new Set([...set].filter((one) => one !== key))
}
