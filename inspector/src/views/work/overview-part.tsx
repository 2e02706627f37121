import { useMemo, useState } from 'preact/hooks'
import { Clamp } from '../../parts/clamp.tsx'
import { Select } from '../../parts/select.tsx'
import { useShowMore } from '../../parts/show-more.tsx'
import { Ago } from '../../parts/time.tsx'
import { oneLine, visible } from '../../parts/visible.ts'
import { ExitCode } from './exit-code.tsx'
import { FilesTable } from './files-table.tsx'
import { EventLink } from './links.tsx'
import css from './overview-part.module.css'
import { type CommandEntry, filterWork, type NoteEntry, type WorkIndex } from './work-index.ts'

/** The work by file, command and note. */
export function OverviewPart({ id, work }: { id: string; work: WorkIndex }) {
  const [filter, setFilter] = useState('')
  const shown = useMemo(() => filterWork(work, filter), [work, filter])
  return (
    <div class="stack">
      <label class={`field ${css.filter}`}>
        <span class="hidden">Filter files, commands and notes</span>
        <input
          class="input"
          type="search"
          placeholder="Filter by path, command or text"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      </label>
      <div class="columns">
        <div class="stack">
          <section class="card stack" aria-label="Files">
            <Heading name="Files" shown={shown.files.length} all={work.files.length} />
            {shown.files.length > 0 && <FilesTable id={id} files={shown.files} />}
          </section>
          <section class="card stack" aria-label="Commands">
            <Heading name="Commands" shown={shown.commands.length} all={work.commands.length} />
            {shown.commands.length > 0 && <Commands id={id} commands={shown.commands} />}
          </section>
        </div>
        <section class="card stack" aria-label="Decisions, notes and plans">
          <Heading name="Decisions, notes and plans" shown={shown.notes.length} all={work.notes.length} />
          {shown.notes.length > 0 && <Notes id={id} notes={shown.notes} />}
        </section>
      </div>
    </div>
  )
}

function Heading({ name, shown, all }: { name: string; shown: number; all: number }) {
  const count =
    shown === all ? all.toLocaleString('en') : `${shown.toLocaleString('en')} of ${all.toLocaleString('en')}`
  return (
    <h2>
      {name} <span class="muted small">{all === 0 ? 'none' : count}</span>
    </h2>
  )
}

function Commands({ id, commands }: { id: string; commands: readonly CommandEntry[] }) {
  const { shown, more } = useShowMore(commands, 50)
  return (
    <>
      <ul class="rows">
        {shown.map((one) => (
          <li key={one.command} class={css.item}>
            <div class="facts between single">
              <code dir="auto" class="wrap">
                {oneLine(one.command, 500)}
              </code>
              <ExitCode exitCode={one.exitCode} />
            </div>
            <div class="facts muted small">
              <span>{one.runs === 1 ? 'once' : `${one.runs} times`}</span>
              {one.failures > 0 && <span>failed {one.failures === 1 ? 'once' : `${one.failures} times`}</span>}
              <span>
                <EventLink id={id} sequence={one.last.sequence} /> <Ago at={one.last.at} />
              </span>
            </div>
            <Output output={one.output} omitted={one.omitted} />
          </li>
        ))}
      </ul>
      {more && <div>{more}</div>}
    </>
  )
}

/** The end of a command's output, collapsed. */
export function Output({ output, omitted }: { output?: string | undefined; omitted?: number | undefined }) {
  const [isOpen, setOpen] = useState(false)
  if (output === undefined) return null
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="muted small">Output ({output.length.toLocaleString('en')} characters)</summary>
      {isOpen && omitted !== undefined && (
        <p class="muted small">The first {omitted.toLocaleString('en')} characters were not stored.</p>
      )}
      {isOpen && <Clamp text={output} />}
    </details>
  )
}

const NOTE_FILTERS = {
  all: 'All',
  decision: 'Decisions',
  note: 'Notes',
  plan: 'Plans',
  'state change': 'With a state change',
} as const
type NoteFilter = keyof typeof NOTE_FILTERS

function Notes({ id, notes }: { id: string; notes: readonly NoteEntry[] }) {
  const [kind, setKind] = useState<NoteFilter>('all')
  const chosen = notes.filter(
    (one) => kind === 'all' || (kind === 'state change' ? one.about !== undefined : one.kind === kind),
  )
  const { shown, more } = useShowMore(chosen, 100)
  return (
    <>
      <Select
        label="Show"
        value={kind}
        options={Object.entries(NOTE_FILTERS)}
        onChange={(value) => setKind(value as NoteFilter)}
      />
      {chosen.length === 0 && <p class="muted">None of this kind.</p>}
      <ul class="rows">
        {shown.map((one) => (
          <li key={`${one.last.sequence} ${one.kind} ${one.id}`} class={css.item}>
            <div class="facts">
              <span class="badge" data-kind={one.kind}>
                {one.kind}
              </span>
              {one.about !== undefined && (
                <span class="badge" title="Recorded with a state change">
                  state change: {oneLine(one.about, 40)}
                </span>
              )}
              <span class="muted small">
                <EventLink id={id} sequence={one.last.sequence} /> <Ago at={one.last.at} />
              </span>
            </div>
            <NoteText text={one.text} />
          </li>
        ))}
      </ul>
      {more && <div>{more}</div>}
    </>
  )
}

/** A text as written; a long one can be expanded. */
export function NoteText({ text }: { text: string }) {
  if (text.length > 600) return <Clamp text={text} most={600} />
  return (
    <p class="verbatim" dir="auto">
      {visible(text)}
    </p>
  )
}
