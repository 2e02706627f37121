import { useMemo, useState } from 'preact/hooks'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { isExpired } from '../../parts/status.tsx'
import type { SessionData } from '../../session/session-data.ts'
import { useEvents } from '../../session/use-events.ts'
import { ResolvedRequests } from '../requests/resolved-requests.tsx'
import { Diagram } from './diagram.tsx'
import { AGENT_TYPES, buildPath, countSteps, PATH_TYPES, type Step } from './path.ts'
import { PathList } from './path-list.tsx'
import { StateStrip } from './state-strip.tsx'
import css from './state-view.module.css'
import { StatusCard } from './status-card.tsx'
import { StepTable } from './step-table.tsx'

const MAX_EVENTS = 500
const MAX_STEPS = 200

/** The current state, the state machine, and the path taken through it. */
export function StateView({ data }: { data: SessionData }) {
  const found = useEvents(data, PATH_TYPES, MAX_EVENTS)
  const switches = useEvents(data, AGENT_TYPES, MAX_EVENTS)
  const [highlighted, setHighlighted] = useState<Step | undefined>(undefined)
  const record = data.record.value
  const areAll = !switches.hasMore && !switches.isLoading && switches.problem === undefined
  const active = areAll ? record?.activeAgent : undefined
  const steps = useMemo(
    () => buildPath(found.events, switches.events, areAll, active),
    [found.events, switches.events, areAll, active],
  )
  const taken = useMemo(() => countSteps(steps), [steps])
  if (record === undefined) return null
  const stoppedAt = isExpired(record) ? Date.parse(record.expiresAt ?? '') : undefined
  const shown = steps.slice(-MAX_STEPS)
  const isCut = found.hasMore || shown.length < steps.length
  const hasPast = steps.some(({ isPast }) => isPast)
  return (
    <div class="stack">
      <div class={css.now}>
        <StatusCard data={data} step={steps.at(-1)} />
        <section class="card stack" aria-labelledby="machine">
          <h2 id="machine">State machine</h2>
          <Diagram
            state={record.status.state}
            isOver={stoppedAt !== undefined}
            taken={taken}
            highlighted={highlighted}
          />
          {hasPast && <p class="muted small">Steps before the fork are not counted.</p>}
          {found.hasMore && !hasPast && (
            <p class="muted small">The counts cover the last {steps.length.toLocaleString('en')} steps.</p>
          )}
          <StepTable taken={taken} />
        </section>
      </div>
      <ResolvedRequests data={data} />
      <section class="card stack" aria-labelledby="path">
        <h2 id="path">Path taken</h2>
        <ProblemNote problem={found.problem} onRetry={found.reload} />
        <ProblemNote problem={switches.problem} onRetry={switches.reload} />
        {found.isLoading && <Loading what="Loading the path" />}
        {!found.isLoading && shown.length === 0 && found.problem === undefined && (
          <Empty title="No steps recorded.">
            <p>Starting a session records the first step. Each question, answer or end adds one.</p>
          </Empty>
        )}
        {isCut && (
          <p class="note">
            Showing the last {shown.length.toLocaleString('en')} steps. Older ones are in the timeline as status_changed
            events.
          </p>
        )}
        <StateStrip id={data.id} steps={shown} stoppedAt={stoppedAt} onHighlight={setHighlighted} />
        <PathList data={data} steps={shown} stoppedAt={stoppedAt} onHighlight={setHighlighted} />
      </section>
    </div>
  )
}
