import { useMemo, useState } from 'preact/hooks'
import { Clamp } from '../../parts/clamp.tsx'
import { Ago } from '../../parts/time.tsx'
import { oneLine, visible } from '../../parts/visible.ts'
import { ExitCode } from './exit-code.tsx'
import { FilesTable } from './files-table.tsx'
import { EventLink } from './links.tsx'
import css from './overview-part.module.css'
import { type CommandSeen, filtered, type Things, type WordsSeen } from './things.ts'
import { useMore } from './use-more.tsx'

/** What the steps were about, by thing: files, commands, and words. */
export function OverviewPart({ id, things }: { id: string; things: Things }) {
  const [filter, setFilter] = useState('')
  const shown = useMemo(() => filtered(things, filter), [things, filter])
  return (
    <div class="stack">
      <label class={`field ${css.filter}`}>
        <span class="hidden">Filter files, commands and words</span>
        <input
          class="input"
          type="search"
          placeholder="Filter by path, command or word"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      </label>
      <div class="columns">
        <div class="stack">
          <section class="card stack" aria-label="Files">
            <Heading name="Files" shown={shown.files.length} all={things.files.length} />
            {shown.files.length > 0 && <FilesTable id={id} files={shown.files} />}
          </section>
          <section class="card stack" aria-label="Commands">
            <Heading name="Commands" shown={shown.commands.length} all={things.commands.length} />
            {shown.commands.length > 0 && <Commands id={id} commands={shown.commands} />}
          </section>
        </div>
        <section class="card stack" aria-label="Decisions, notes and plans">
          <Heading name="Decisions, notes and plans" shown={shown.words.length} all={things.words.length} />
          {shown.words.length > 0 && <Words id={id} words={shown.words} />}
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
      {name} <span class="muted small">{all === 0 ? 'none observed' : count}</span>
    </h2>
  )
}

function Commands({ id, commands }: { id: string; commands: readonly CommandSeen[] }) {
  const { shown, more } = useMore(commands, 50)
  return (
    <>
      <ul class="rows">
        {shown.map((one) => (
          <li key={one.command} class={css.item}>
            <div class="row between single">
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

/** The end of what a command wrote, behind a fold. */
export function Output({ output, omitted }: { output?: string | undefined; omitted?: number | undefined }) {
  const [isOpen, setOpen] = useState(false)
  if (output === undefined) return null
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="muted small">Output, {output.length.toLocaleString('en')} characters</summary>
      {isOpen && omitted !== undefined && (
        <p class="muted small">{omitted.toLocaleString('en')} characters before these were not kept.</p>
      )}
      {isOpen && <Clamp text={output} />}
    </details>
  )
}

const WORD_KINDS = ['all', 'decision', 'note', 'plan', 'state change'] as const
type WordKind = (typeof WORD_KINDS)[number]
const WORD_NAMES = {
  all: 'All of them',
  decision: 'Decisions',
  note: 'Notes',
  plan: 'Plans',
  'state change': 'With a state change',
} as const satisfies Record<WordKind, string>

function Words({ id, words }: { id: string; words: readonly WordsSeen[] }) {
  const [kind, setKind] = useState<WordKind>('all')
  const chosen = words.filter(
    (one) => kind === 'all' || (kind === 'state change' ? one.about !== undefined : one.kind === kind),
  )
  const { shown, more } = useMore(chosen, 100)
  return (
    <>
      <label class="row small">
        <span class="muted">Show</span>
        <select
          class="input small"
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value as WordKind)}
        >
          {WORD_KINDS.map((name) => (
            <option key={name} value={name}>
              {WORD_NAMES[name]}
            </option>
          ))}
        </select>
      </label>
      {chosen.length === 0 && <p class="muted">None of this kind.</p>}
      <ul class="rows">
        {shown.map((one) => (
          <li key={`${one.last.sequence} ${one.kind} ${one.id}`} class={css.item}>
            <div class="facts">
              <span class="badge" data-kind={one.kind}>
                {one.kind}
              </span>
              {one.about !== undefined && (
                <span class="badge" title="Written together with a change of the session's state">
                  state change: {oneLine(one.about, 40)}
                </span>
              )}
              <span class="muted small">
                <EventLink id={id} sequence={one.last.sequence} /> <Ago at={one.last.at} />
              </span>
            </div>
            <Saying text={one.text} />
          </li>
        ))}
      </ul>
      {more && <div>{more}</div>}
    </>
  )
}

/** Words as they were written; long ones in a box that opens. */
export function Saying({ text }: { text: string }) {
  if (text.length > 600) return <Clamp text={text} most={600} />
  return (
    <p class="verbatim" dir="auto">
      {visible(text)}
    </p>
  )
}
