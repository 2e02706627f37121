import { useEffect, useRef, useState } from 'preact/hooks'
import type { Json } from '../../api/types.ts'
import { Clamp } from '../../parts/clamp.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { useShowMore } from '../../parts/show-more.tsx'
import { formatTime } from '../../parts/time.tsx'
import { eventHref } from '../../route.ts'
import { nameText } from './agent-name.ts'
import css from './switch-list.module.css'
import type { Switch } from './switches.ts'

/** Switches that are listed at first. */
const STEP = 50

interface Props {
  readonly id: string
  readonly switches: readonly Switch[]
  readonly hasMore: boolean
  /** Whether the session is over. */
  readonly isOver: boolean
  readonly selected: number
  readonly select: (sequence: number) => void
}

/** Every switch from one agent to another, newest first, with its reason and outcome. */
export function SwitchList({ id, switches, hasMore, isOver, selected, select }: Props) {
  const box = useRef<HTMLOListElement>(null)
  const all = switches.toReversed()
  const chosen = all.findIndex(({ sequence }) => sequence === selected)
  const { shown, more } = useShowMore(all, STEP, chosen + 1)
  useEffect(() => {
    const row = box.current?.querySelector<HTMLElement>('[data-selected="true"]')
    if (box.current !== null && row) showWithin(box.current, row)
  }, [selected])
  return (
    <section class={`card ${css.part}`} aria-label="Handoffs">
      <h2>
        Handoffs and switches <span class="muted small">{all.length.toLocaleString('en')}</span>
      </h2>
      {all.length === 0 && (
        <p class="muted small">
          One agent has done everything so far. <code>handoff()</code> passes the session to another agent with a reason
          and context; <code>recordTransition()</code> and <code>setActiveAgent()</code> switch without context.
        </p>
      )}
      <ol class={css.list} ref={box} reversed>
        {shown.map((made) => (
          <Entry key={made.sequence} {...{ id, made, isOver, select }} isSelected={made.sequence === selected} />
        ))}
      </ol>
      {more}
      {hasMore && !more && <p class="muted small">Older switches are only in the timeline.</p>}
    </section>
  )
}

/** Scrolls a box, and nothing around it, until an element in it is fully visible. */
function showWithin(box: HTMLElement, { offsetTop, offsetHeight }: HTMLElement): void {
  const top = offsetTop - box.offsetTop
  if (top < box.scrollTop) box.scrollTop = top
  else if (top + offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + offsetHeight - box.clientHeight
}

interface EntryProps extends Pick<Props, 'id' | 'isOver' | 'select'> {
  readonly made: Switch
  readonly isSelected: boolean
}

function Entry({ id, made, isOver, isSelected, select }: EntryProps) {
  const { sequence, kind, from, to, at, reason, context } = made
  return (
    <li class={css.entry} data-selected={isSelected}>
      <div class={css.top}>
        <button type="button" class={css.who} aria-pressed={isSelected} onClick={() => select(sequence)}>
          <bdi>{nameText(from, 60)}</bdi>
          <span class="hidden"> to </span>
          <span aria-hidden="true"> → </span>
          <bdi>{nameText(to, 60)}</bdi>
        </button>
        <span class="badge">{kind}</span>
        <span class={css.when}>
          <a href={eventHref(id, sequence)}>event #{sequence.toLocaleString('en')}</a>,{' '}
          <time dateTime={at}>{formatTime(at)}</time>
        </span>
      </div>
      {reason !== '' && <Clamp text={reason} most={600} class={css.reason ?? ''} />}
      {kind === 'handoff' && <Outcome id={id} made={made} isOver={isOver} />}
      {context !== undefined && <Context context={context} />}
    </li>
  )
}

function Outcome({ id, made: { takenBy, removedBy, replacedBy }, isOver }: Pick<EntryProps, 'id' | 'made' | 'isOver'>) {
  const link = (to: number) => <a href={eventHref(id, to)}>event #{to.toLocaleString('en')}</a>
  if (takenBy !== undefined) return <p class="small">Taken in {link(takenBy)}</p>
  if (removedBy !== undefined) return <p class="small">Not taken: removed in {link(removedBy)}</p>
  if (replacedBy !== undefined) return <p class="small">Not taken: replaced in {link(replacedBy)}</p>
  return <p class="small">{isOver ? 'Never taken' : 'Not taken yet'}</p>
}

/** The context of a handoff; it may have any shape. */
function Context({ context }: { context: Json }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class={css.context} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Context{describeCounts(context)}</summary>
      {isOpen && <JsonView value={context as object} />}
    </details>
  )
}

function describeCounts(context: Json): string {
  const { artifacts_created: artifacts, key_decisions: decisions } = Object(context) as Record<string, unknown>
  const count = (list: unknown, one: string) =>
    Array.isArray(list) && list.length > 0 ? [`${list.length} ${one}${list.length === 1 ? '' : 's'}`] : []
  const counts = [...count(artifacts, 'artifact'), ...count(decisions, 'decision')]
  return counts.length === 0 ? '' : `: ${counts.join(', ')}`
}
