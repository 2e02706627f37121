import type { FunctionComponent } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { ErrorBoundary } from '../../parts/error-boundary.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { oneLine, preview } from '../../parts/visible.ts'
import { query, sessionHref, sessionsHref, TABS, type Tab, type Values } from '../../route.ts'
import { SessionData } from '../../session/session-data.ts'
import { ActionBar } from '../actions/action-bar.tsx'
import { ActionRunner } from '../actions/action-runner.ts'
import { RequestPanel } from '../requests/request-panel.tsx'
import { TimelineView } from '../timeline/timeline-view.tsx'
import { SessionHead } from './session-head.tsx'
import css from './session-view.module.css'

// the timeline is the default view: the others load on first use
const VIEWS: Readonly<Record<Tab, FunctionComponent<{ data: SessionData; runner: ActionRunner }>>> = {
  timeline: TimelineView,
  state: lazy(async () => (await import('../state/state-view.tsx')).StateView),
  time: lazy(async () => (await import('../time/time-view.tsx')).TimeView),
  agents: lazy(async () => (await import('../agents/agents-view.tsx')).AgentsView),
  runs: lazy(async () => (await import('../runs/runs-view.tsx')).RunsView),
  work: lazy(async () => (await import('../work/work-view.tsx')).WorkView),
  context: lazy(async () => (await import('../context/context-view.tsx')).ContextView),
  memory: lazy(async () => (await import('../memory/session-memory.tsx')).SessionMemory),
}

const TAB_NAMES = {
  timeline: 'Timeline',
  state: 'State',
  time: 'Time',
  agents: 'Agents',
  runs: 'Runs',
  work: 'Work',
  context: 'Context',
  memory: 'Memory',
} as const satisfies Record<Tab, string>

/** One session: facts, actions and the selected view. */
export function SessionView({ id, tab }: { id: string; tab: Tab }) {
  const data = useMemo(() => new SessionData(id), [id])
  const runner = useMemo(() => new ActionRunner(data), [data])
  useEffect(() => data.start(), [data])
  const record = data.record.value
  const problem = data.problem.value
  const View = VIEWS[tab]
  const task = record === undefined ? id : (record.task ?? 'Untitled session')
  useEffect(() => {
    document.title = `${preview(task, 60)} · ${TAB_NAMES[tab]} · Throughline`
  }, [task, tab])
  if (record === undefined && problem?.status === 404) return <NotFound id={id} />
  if (record === undefined)
    return problem ? <ProblemNote problem={problem} onRetry={() => void data.begin()} /> : <Loading />
  return (
    <div class={css.session}>
      <SessionHead data={data} runner={runner} />
      <ProblemNote problem={problem} />
      <ActionBar data={data} runner={runner} />
      <RequestPanel data={data} />
      <Tabs id={id} tab={tab} />
      <section class={css.view} aria-label={TAB_NAMES[tab]}>
        <ErrorBoundary key={tab}>
          <View data={data} runner={runner} />
        </ErrorBoundary>
      </section>
    </div>
  )
}

/** The tabs. Each remembers the query of its view. */
function Tabs({ id, tab }: { id: string; tab: Tab }) {
  const places = useRef(new Map<Tab, Values>())
  const current = useRef<HTMLAnchorElement>(null)
  places.current.set(tab, Object.fromEntries(query.value))
  useEffect(() => current.current?.scrollIntoView({ inline: 'nearest', block: 'nearest' }), [tab])
  return (
    <nav class="tabs" aria-label="Views of the session">
      {TABS.map((name) => (
        <a
          key={name}
          {...(name === tab && { ref: current })}
          href={sessionHref(id, name, places.current.get(name))}
          aria-current={name === tab ? 'page' : undefined}
        >
          {TAB_NAMES[name]}
        </a>
      ))}
    </nav>
  )
}

function NotFound({ id }: { id: string }) {
  return (
    <Empty title="Session not found">
      <p>
        <code>{oneLine(id, 80)}</code> does not exist, was purged, or belongs to another user.{' '}
        <a href={sessionsHref()}>All sessions</a>
      </p>
    </Empty>
  )
}
