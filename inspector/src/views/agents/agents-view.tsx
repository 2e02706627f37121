import { useMemo } from 'preact/hooks'
import type { SessionEvent } from '../../api/types.ts'
import { APPENDABLE_TYPES, RECORDED_TYPES } from '../../domain.ts'
import { Loading, ProblemNote } from '../../parts/notes.tsx'
import { Select } from '../../parts/select.tsx'
import { isOver } from '../../parts/status.tsx'
import { query, setQuery } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { useEvents } from '../../session/use-events.ts'
import css from './agents-view.module.css'
import { orderAxis, type Point, timeAxis } from './axis.ts'
import { LaneChart } from './lane-chart.tsx'
import { connectorsOf, type LaneEvent, lanesOf, toLaneEvent } from './lanes.ts'
import { SubAgents } from './sub-agents.tsx'
import { SwitchList } from './switch-list.tsx'
import { REMOVAL_TYPES, SWITCH_TYPES, switchesOf } from './switches.ts'
import { Totals } from './totals.tsx'

/** Upper bounds of what is read and drawn. */
const MOST = { events: 2000, switches: 2000, removals: 500, lanes: 150, connectors: 400 }

/** Not custom ones: most of a log may be progress. */
const LANE_TYPES = [...APPENDABLE_TYPES, ...Object.keys(RECORDED_TYPES)]

/** When each agent acted, and why one handed over to another. */
export function AgentsView({ data }: { data: SessionData }) {
  const head = data.head.value
  const known = useEvents(data, SWITCH_TYPES, MOST.switches)
  const removals = useEvents(data, REMOVAL_TYPES, MOST.removals)
  const latest = useEvents(data, LANE_TYPES, MOST.events, toLaneEvent)
  const found = useMemo(() => {
    const events = [...known.events, ...removals.events].toSorted((a, b) => a.sequence - b.sequence)
    return switchesOf(events, head)
  }, [known.events, removals.events, head])
  const { lanes, leftOut } = useMemo(
    () => lanesOf(found.spans, latest.events, MOST.lanes),
    [found.spans, latest.events],
  )
  const isByTime = query.value.get('by') === 'time'
  const isLast = query.value.get('range') === 'last'
  const axis = useMemo(() => {
    const first = isLast ? (latest.events[0]?.sequence ?? 1) : 1
    return isByTime ? timeAxis(pointsOf(known.events, latest.events, first)) : orderAxis(first, head)
  }, [isByTime, isLast, known.events, latest.events, head])
  const connectors = useMemo(() => {
    const shown = found.switches.filter(({ sequence }) => sequence >= axis.first)
    return connectorsOf(lanes, shown, MOST.connectors)
  }, [lanes, found.switches, axis.first])
  const selected = Number(query.value.get('handoff') ?? 0)
  const select = (sequence: number) => setQuery({ handoff: sequence === selected ? undefined : sequence })
  const record = data.record.value
  if (known.isLoading || (latest.isLoading && latest.events.length === 0)) return <Loading />
  return (
    <div class={css.agents}>
      <ProblemNote problem={known.problem} onRetry={known.reload} />
      <ProblemNote problem={removals.problem} onRetry={removals.reload} />
      <ProblemNote problem={latest.problem} onRetry={latest.reload} />
      <SubAgents data={data} />
      <section class={`card ${css.part}`} aria-label="Lanes">
        <Controls isByTime={isByTime} isLast={isLast} count={latest.events.length} isAll={!latest.hasMore} />
        <LaneChart {...{ lanes, connectors, axis, isByTime, selected, select }} />
        <p class="muted small">
          Bars show when an agent was active. Ticks are messages and tool calls; those without an agent count for the
          active one. Arrows are switches between agents; a filled dot marks a handoff.
          {latest.hasMore && ` Ticks and totals cover the last ${latest.events.length.toLocaleString('en')} events.`}
          {leftOut > 0 && ` ${leftOut.toLocaleString('en')} more agents are not shown.`}
          {found.switches.length > MOST.connectors && ` Only the last ${MOST.connectors} switches have arrows.`}
          {known.hasMore && ' Activity before the oldest switch shown is unknown.'}
        </p>
      </section>
      <div class={css.columns}>
        <SwitchList
          id={data.id}
          switches={found.switches}
          hasMore={known.hasMore}
          isOver={record !== undefined && isOver(record)}
          selected={selected}
          select={select}
        />
        <Totals lanes={lanes} isAll={!latest.hasMore} count={latest.events.length} active={record?.activeAgent} />
      </div>
    </div>
  )
}

interface ControlsProps {
  readonly isByTime: boolean
  readonly isLast: boolean
  /** Events that were read, and whether those are all. */
  readonly count: number
  readonly isAll: boolean
}

function Controls({ isByTime, isLast, count, isAll }: ControlsProps) {
  return (
    <div class={css.controls}>
      <h2>Activity by agent</h2>
      <Select
        label="Axis"
        value={isByTime ? 'time' : 'order'}
        options={Object.entries({ order: 'Event order', time: 'Time, long pauses shortened' })}
        onChange={(by) => setQuery({ by: by === 'time' ? by : undefined })}
      />
      {(!isAll || isLast) && (
        <Select
          label="Range"
          value={isLast ? 'last' : 'all'}
          options={Object.entries({ all: 'Whole session', last: `Last ${count.toLocaleString('en')} events` })}
          onChange={(range) => setQuery({ range: range === 'last' ? range : undefined })}
        />
      )}
    </div>
  )
}

/** Every event whose time is known, in order. */
function pointsOf(switches: readonly SessionEvent[], events: readonly LaneEvent[], first: number): Point[] {
  const times = new Map(switches.map(({ sequence, createdAt }) => [sequence, createdAt]))
  for (const { sequence, at } of events) times.set(sequence, at)
  return [...times]
    .filter(([sequence]) => sequence >= first)
    .toSorted(([a], [b]) => a - b)
    .map(([sequence, at]) => ({ sequence, at: Date.parse(at) }))
}
