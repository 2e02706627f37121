import { useMemo, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { query } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { type LatestEvents, useEvents } from '../../session/use-events.ts'
import { CommitsPart } from './commits-part.tsx'
import { GraphPart } from './graph-part.tsx'
import { PARTS, type Part, partHref } from './links.tsx'
import { OverviewPart } from './overview-part.tsx'
import { stepsOf, WORK_TYPES } from './steps.ts'
import { StepsPart } from './steps-part.tsx'
import { indexWork } from './work-index.ts'
import css from './work-view.module.css'

/** Events loaded at first, and with each click on the button for older ones. */
const EVENTS_PER_READ = 2000

const PART_NAMES = {
  overview: 'Overview',
  steps: 'Steps',
  graph: 'Graph',
  commits: 'Commits',
} as const satisfies Record<Part, string>

/** The work: files, commands and decisions, by step, as a graph, and as commits. */
export function WorkView({ data }: { data: SessionData }) {
  const part = PARTS.find((name) => name === query.value.get('part')) ?? 'overview'
  const [most, setMost] = useState(EVENTS_PER_READ)
  const loaded = useLastLoaded(useEvents(data, WORK_TYPES, most))
  const metadata = data.record.value?.metadata
  const steps = useMemo(() => stepsOf(loaded.events, metadata), [loaded.events, metadata])
  const work = useMemo(() => indexWork(steps), [steps])
  const isEmpty = steps.length === 0 && part !== 'commits'
  return (
    <div class="stack view">
      <nav class={`pills small ${css.parts}`} aria-label="Work views">
        {PARTS.map((name) => (
          <a key={name} href={partHref(data.id, name)} aria-current={name === part ? 'page' : undefined}>
            {PART_NAMES[name]}
          </a>
        ))}
      </nav>
      <ProblemNote problem={loaded.problem} onRetry={loaded.reload} />
      {isEmpty && loaded.isLoading && <Loading />}
      {isEmpty && !loaded.isLoading && loaded.problem === undefined && <NoWork />}
      {!isEmpty && loaded.hasMore && part !== 'commits' && part !== 'graph' && (
        <p class="note row">
          <span>Showing the last {steps.length.toLocaleString('en')} steps.</span>
          <Button
            look="small"
            text="Load older steps"
            disabled={loaded.isLoading}
            onClick={() => setMost(loaded.events.length + EVENTS_PER_READ)}
          />
        </p>
      )}
      {!isEmpty && part === 'overview' && <OverviewPart id={data.id} work={work} />}
      {!isEmpty && part === 'steps' && <StepsPart id={data.id} steps={steps} />}
      {!isEmpty && part === 'graph' && <GraphPart data={data} work={work} latest={steps.at(-1)?.sequence ?? 0} />}
      {part === 'commits' && <CommitsPart data={data} />}
    </div>
  )
}

/** Keeps showing the loaded events while older ones load. */
function useLastLoaded(loaded: LatestEvents): LatestEvents {
  const lastLoaded = useRef(loaded)
  if (loaded.isLoading && lastLoaded.current.events.length > 0) return { ...lastLoaded.current, isLoading: true }
  if (loaded.problem !== undefined) return { ...lastLoaded.current, isLoading: false, problem: loaded.problem }
  lastLoaded.current = loaded
  return loaded
}

const EXAMPLE = `session.observe.fileRead({ path: 'src/connect.ts' })
session.observe.fileWrite({ path: 'src/connect.ts', content })
session.observe.command({ command: 'npm test', exitCode: 0 })
session.observe.note('Decision: the pause doubles')
await session.flushStep() // ask(), propose() and other state changes flush too`

function NoWork() {
  return (
    <Empty title="No work recorded in this session.">
      <p>Files and commands appear here when an agent logs calls of known tools. It can also record work itself:</p>
      <div class={css.example}>
        <pre class="plain">{EXAMPLE}</pre>
      </div>
      <p>
        Over HTTP, use <code>POST /v1/sessions/…/steps</code>.
      </p>
    </Empty>
  )
}
