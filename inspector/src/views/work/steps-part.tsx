import { useState } from 'preact/hooks'
import type { Edge, JsonObject, Observation } from '../../api/types.ts'
import { useShowMore } from '../../parts/show-more.tsx'
import { Ago } from '../../parts/time.tsx'
import { oneLine, preview } from '../../parts/visible.ts'
import { describeObservation } from '../timeline/describe.ts'
import { ExitCode } from './exit-code.tsx'
import { EventLink, formatBytes, graphHref, PathCode, ShortHash, TruncatedText } from './links.tsx'
import { NoteText, Output } from './overview-part.tsx'
import type { Step } from './steps.ts'
import css from './steps-part.module.css'
import { describeCounts } from './work-index.ts'

/** The work commits and tool calls, newest first, each with its observations. */
export function StepsPart({ id, steps }: { id: string; steps: readonly Step[] }) {
  const { shown, more } = useShowMore(steps.toReversed(), 200)
  const known = new Map(steps.map((step) => [step.id, step.sequence]))
  return (
    <section class="card stack" aria-label="Steps">
      <h2>
        Steps <span class="muted small">{steps.length.toLocaleString('en')}, newest first</span>
      </h2>
      <ol class="rows" reversed>
        {shown.map((step) => (
          <li key={step.sequence}>
            <StepItem id={id} step={step} known={known} />
          </li>
        ))}
      </ol>
      {more && <div>{more}</div>}
    </section>
  )
}

function StepItem({ id, step, known }: { id: string; step: Step; known: ReadonlyMap<string, number> }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class={css.step} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="facts">
        <span class={`mono muted ${css.sequence}`}>#{step.sequence}</span>
        <span class="badge" data-kind={step.isToolCall || step.kind === 'step' ? 'step' : 'change'}>
          {oneLine(step.kind, 40)}
        </span>
        <span class={css.counts} dir="auto">
          {summaryOf(step)}
        </span>
        <span class="muted small">
          <Ago at={step.at} />
        </span>
      </summary>
      {isOpen && <StepBody id={id} step={step} known={known} />}
    </details>
  )
}

/** A tool call does one thing, and the line says which; a step is counted. */
function summaryOf({ isToolCall, observations }: Step): string {
  const [only] = observations
  if (!isToolCall || only === undefined || observations.length > 1) return describeCounts(observations)
  return preview(describeObservation(only as unknown as JsonObject))
}

function StepBody({ id, step, known }: { id: string; step: Step; known: ReadonlyMap<string, number> }) {
  const { shown, more } = useShowMore(step.observations, 50)
  return (
    <div class={css.body}>
      <p class="facts muted small">
        <span>
          event <EventLink id={id} sequence={step.sequence} />
        </span>
        {step.agent !== undefined && <span dir="auto">by {oneLine(step.agent, 60)}</span>}
        {step.state !== '' && <span>while {oneLine(step.state.replaceAll('_', ' '), 40)}</span>}
        <Parents id={id} parents={step.parents} known={known} />
      </p>
      <ul class="stack-2">
        {shown.map((observed, index) => (
          <li key={index}>
            <ObservationRow id={id} observed={observed} />
          </li>
        ))}
      </ul>
      {more && <div>{more}</div>}
      {step.unreadable > 0 && (
        <p class="muted small">
          {step.unreadable.toLocaleString('en')} more entries are not valid observations. Open the event to see them.
        </p>
      )}
    </div>
  )
}

function Parents({ id, parents, known }: Pick<Step, 'parents'> & { id: string; known: ReadonlyMap<string, number> }) {
  const sequences = parents.slice(0, 10).flatMap((parent) => known.get(parent) ?? [])
  if (sequences.length === 0) return null
  return (
    <span>
      after{' '}
      {sequences.map((sequence) => (
        <EventLink key={sequence} id={id} sequence={sequence} />
      ))}
    </span>
  )
}

function ObservationRow({ id, observed }: { id: string; observed: Observation }) {
  return (
    <div class={css.observed}>
      <span class="muted small">{OBSERVATION_VERBS[observed.kind]}</span>
      <div class={css.content}>
        <ObservationContent id={id} observed={observed} />
      </div>
    </div>
  )
}

const OBSERVATION_VERBS = {
  fileRead: 'read',
  fileWrite: 'wrote',
  command: 'ran',
  note: 'note',
  plan: 'plan',
  relations: 'relations',
} as const satisfies Record<Observation['kind'], string>

function ObservationContent({ id, observed }: { id: string; observed: Observation }) {
  switch (observed.kind) {
    case 'fileRead':
      return <PathCode path={observed.path} max={100} />
    case 'fileWrite':
      return (
        <p class="facts">
          <PathCode path={observed.path} max={100} />
          {observed.bytes !== undefined && <span class="muted small">{formatBytes(observed.bytes)}</span>}
          {observed.hash !== undefined && (
            <span class="muted small">
              <ShortHash hash={observed.hash} />
            </span>
          )}
        </p>
      )
    case 'command':
      return (
        <>
          <p class="facts">
            <code dir="auto">{oneLine(observed.command, 500)}</code>
            <ExitCode exitCode={observed.exitCode} />
          </p>
          <Output output={observed.output} omitted={observed.omitted} />
        </>
      )
    case 'note':
      return (
        <>
          {observed.about !== undefined && <span class="badge">state change: {oneLine(observed.about, 40)}</span>}
          <NoteText text={observed.text} />
        </>
      )
    case 'plan':
      return <NoteText text={observed.text} />
    case 'relations':
      return <Relations edges={observed.edges} id={id} />
  }
}

function Relations({ id, edges }: { id: string; edges: readonly Edge[] }) {
  const { shown, more } = useShowMore(edges, 20)
  return (
    <>
      <ul class="stack-1 small">
        {shown.map(({ from, label, to }, index) => (
          <li key={index}>
            <NodeLink id={id} node={from} /> <span class="muted">{oneLine(label, 64)}</span>{' '}
            <NodeLink id={id} node={to} />
          </li>
        ))}
      </ul>
      {more && <div>{more}</div>}
    </>
  )
}

/** Links to the graph around the node. */
function NodeLink({ id, node }: { id: string; node: string }) {
  return (
    <a class="mono" href={graphHref(id, node)}>
      <TruncatedText text={node} max={60} />
    </a>
  )
}
