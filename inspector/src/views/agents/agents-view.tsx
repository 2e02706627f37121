import { useMemo } from 'preact/hooks'
import type { SessionEvent } from '../../api/types.ts'
import { Loading, ProblemNote } from '../../parts/notes.tsx'
import { isOver } from '../../parts/status.tsx'
import { query, setQuery } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { useEvents } from '../../session/use-events.ts'
import css from './agents-view.module.css'
import { orderAxis, type Point, timeAxis } from './axis.ts'
import { LaneChart } from './lane-chart.tsx'
import { connectorsOf, type LaneEvent, lanesOf } from './lanes.ts'
import { SwitchList } from './switch-list.tsx'
import { REMOVAL_TYPES, SWITCH_TYPES, switchesOf } from './switches.ts'
import { Totals } from './totals.tsx'
import { type Acts, useActs } from './use-acts.ts'

/** What is read and drawn at most. */
const MOST = { acts: 2000, switches: 2000, removals: 500, lanes: 150, connectors: 400 }

/** Who acted when, and why one handed over to another. */
export function AgentsView({ data }: { data: SessionData }) {
  const head = data.head.value
  const known = useEvents(data, SWITCH_TYPES, MOST.switches)
  const removals = useEvents(data, REMOVAL_TYPES, MOST.removals)
  const done = useActs(data, MOST.acts)
  const found = useMemo(() => {
    const events = [...known.events, ...removals.events].toSorted((a, b) => a.sequence - b.sequence)
    return switchesOf(events, head)
  }, [known.events, removals.events, head])
  const { lanes, leftOut } = useMemo(() => lanesOf(found.spans, done.acts, MOST.lanes), [found.spans, done.acts])
  const isByTime = query.value.get('by') === 'time'
  const isLast = query.value.get('range') === 'last'
  const axis = useMemo(() => {
    const first = isLast ? (done.acts[0]?.sequence ?? 1) : 1
    return isByTime ? timeAxis(pointsOf(known.events, done.acts, first)) : orderAxis(first, head)
  }, [isByTime, isLast, known.events, done.acts, head])
  const connectors = useMemo(() => {
    const shown = found.switches.filter(({ sequence }) => sequence >= axis.first)
    return connectorsOf(lanes, shown, MOST.connectors)
  }, [lanes, found.switches, axis.first])
  const selected = Number(query.value.get('handoff') ?? 0)
  const select = (sequence: number) => setQuery({ handoff: sequence === selected ? undefined : sequence })
  const record = data.record.value
  if (known.isLoading || (done.isLoading && done.acts.length === 0)) return <Loading />
  return (
    <div class={css.agents}>
      <ProblemNote problem={known.problem} onRetry={known.reload} />
      <ProblemNote problem={removals.problem} onRetry={removals.reload} />
      <ProblemNote problem={done.problem} onRetry={done.again} />
      <section class={`card ${css.part}`} aria-label="Lanes">
        <Controls isByTime={isByTime} isLast={isLast} done={done} />
        <LaneChart {...{ lanes, connectors, axis, isByTime, selected, select }} />
        <p class="muted small">
          A bar: the agent was the active one. A tick: it spoke or acted; what names no agent counts for the active one.
          An arrow: a switch to another agent, with a filled dot where it was a handoff.
          {!done.isAll && ` Ticks and totals are of the last ${done.acts.length.toLocaleString('en')} events.`}
          {leftOut > 0 && ` ${leftOut.toLocaleString('en')} more agents are not drawn.`}
          {found.switches.length > MOST.connectors && ` Arrows of the last ${MOST.connectors} switches.`}
          {known.hasMore && ' Who was active before the switches that were read is not drawn.'}
        </p>
      </section>
      <div class={css.columns}>
        <SwitchList
          {...{
            id: data.id,
            switches: found.switches,
            hasMore: known.hasMore,
            isOver: record !== undefined && isOver(record),
            selected,
            select,
          }}
        />
        <Totals lanes={lanes} isAll={done.isAll} count={done.acts.length} active={record?.activeAgent} />
      </div>
    </div>
  )
}

function Controls({ isByTime, isLast, done }: { isByTime: boolean; isLast: boolean; done: Acts }) {
  return (
    <div class={css.controls}>
      <h2>Who acted when</h2>
      <label class={css.choice}>
        <span class="muted">From left to right</span>
        <select
          class="input small"
          value={isByTime ? 'time' : 'order'}
          onChange={({ currentTarget: { value } }) => setQuery({ by: value === 'time' ? value : undefined })}
        >
          <option value="order">events in order</option>
          <option value="time">time, long pauses shortened</option>
        </select>
      </label>
      {(!done.isAll || isLast) && (
        <label class={css.choice}>
          <span class="muted">Range</span>
          <select
            class="input small"
            value={isLast ? 'last' : 'all'}
            onChange={({ currentTarget: { value } }) => setQuery({ range: value === 'last' ? value : undefined })}
          >
            <option value="all">the whole session</option>
            <option value="last">the last {done.acts.length.toLocaleString('en')} events</option>
          </select>
        </label>
      )}
    </div>
  )
}

/** Every event whose time is known, in order. */
function pointsOf(events: readonly SessionEvent[], acts: readonly LaneEvent[], first: number): Point[] {
  const times = new Map(events.map(({ sequence, createdAt }) => [sequence, createdAt]))
  for (const { sequence, at } of acts) times.set(sequence, at)
  return [...times]
    .filter(([sequence]) => sequence >= first)
    .toSorted(([a], [b]) => a - b)
    .map(([sequence, at]) => ({ sequence, at: Date.parse(at) }))
}
